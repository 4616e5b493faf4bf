import type { BuiltinPattern } from "./builtin.ts";
import { promptInjectionEcho } from "./injection-echo.ts";
import { malformedJsonResponse } from "./malformed-json.ts";
import { personalDataInResponse } from "./personal-data.ts";
import { profanityInResponse } from "./profanity.ts";
import { refusalResponse } from "./refusal.ts";
import { secretsInResponse } from "./secrets.ts";

/** The built-in patterns in the order in which they are tried: the first that matches counts (completions 9.3). */
export const builtinPatterns: readonly BuiltinPattern[] = [
  secretsInResponse,
  personalDataInResponse,
  promptInjectionEcho,
  profanityInResponse,
  refusalResponse,
  malformedJsonResponse,
];

/** A response, and what is looked for in it. */
export interface BuiltinLook {
  response: string;
  /** It is the beginning of a longer one. */
  isCut: boolean;
  /** Keys of the built-in patterns that are enabled. */
  keys: readonly string[];
}

/** What was found, and by which. */
export interface BuiltinFinding {
  key: string;
  found: string;
}

/** What the first of the enabled built-in patterns found; null = nothing. */
export function findBuiltin({ response, isCut, keys }: BuiltinLook): BuiltinFinding | null {
  if (response.trim() === "") return null;
  for (const pattern of builtinPatterns) {
    if (!keys.includes(pattern.key)) continue;
    // Cutting JSON makes it malformed.
    if (isCut && pattern.key === malformedJsonResponse.key) continue;
    const found = pattern.find(response);
    if (found !== null) return { key: pattern.key, found };
  }
  return null;
}
