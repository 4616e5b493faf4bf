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

/** A longer response is looked at this far. */
const responseMaxChars = 512 * 1024;

/** What the first of the enabled built-in patterns found; null = nothing. */
export function findBuiltin(
  response: string,
  enabled: readonly string[],
): { pattern: BuiltinPattern; found: string } | null {
  if (response.trim() === "") return null;
  for (const pattern of builtinPatterns) {
    if (!enabled.includes(pattern.key)) continue;
    // Cutting JSON would make it malformed.
    const text = pattern.key === malformedJsonResponse.key ? response : response.slice(0, responseMaxChars);
    const found = pattern.find(text);
    if (found !== null) return { pattern, found };
  }
  return null;
}
