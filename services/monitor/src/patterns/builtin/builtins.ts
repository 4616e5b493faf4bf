import type { BuiltinPattern } from "./builtin.ts";
import { promptInjectionEcho } from "./injection-echo.ts";
import { malformedJsonResponse } from "./malformed-json.ts";
import { personalDataInResponse } from "./personal-data.ts";
import { profanityInResponse } from "./profanity.ts";
import { refusalResponse } from "./refusal.ts";
import { secretsInResponse } from "./secrets.ts";

/** The built-in patterns in the order in which they are tried: the first match counts (completions 9.3). */
export const builtinPatterns: readonly BuiltinPattern[] = [
  secretsInResponse,
  personalDataInResponse,
  promptInjectionEcho,
  profanityInResponse,
  refusalResponse,
  malformedJsonResponse,
];

/** A response and the patterns to look for. */
export interface BuiltinLook {
  response: string;
  /** The text is the beginning of a longer one. */
  isCut: boolean;
  /** Keys of the enabled built-in patterns. */
  keys: readonly string[];
}

/** A match and its pattern. */
export interface BuiltinFinding {
  key: string;
  found: string;
}

/** The match of the first enabled built-in pattern that matches; null = none. */
export function findBuiltin({ response, isCut, keys }: BuiltinLook): BuiltinFinding | null {
  if (response.trim() === "") return null;
  for (const pattern of builtinPatterns) {
    if (!keys.includes(pattern.key)) continue;
    // Truncated JSON is malformed.
    if (isCut && pattern.key === malformedJsonResponse.key) continue;
    const found = pattern.find(response);
    if (found !== null) return { key: pattern.key, found };
  }
  return null;
}
