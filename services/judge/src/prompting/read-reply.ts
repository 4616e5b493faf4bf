import { z } from "zod";

/** Every brace may start an object. Together they read this much at most: text of only braces would take quadratic time. */
const charsReadMax = 4 * 1024 * 1024;

/**
 * The JSON objects in a model's reply, outermost only, in order (completions 7.4). Skips the surrounding prose, code fence or
 * array.
 */
export function* findObjects(text: string): Generator<Record<string, unknown>> {
  let charsRead = 0;
  for (let from = text.indexOf("{"); from >= 0 && charsRead < charsReadMax; ) {
    const end = findObjectEnd(text, from);
    charsRead += (end < 0 ? text.length : end) - from;
    const object = end < 0 ? null : parseObject(text.slice(from, end));
    if (object !== null) yield object;
    from = text.indexOf("{", object === null ? from + 1 : end);
  }
}

/** The index after the brace that balances the one at `from`, or -1. Braces inside JSON strings do not count. */
function findObjectEnd(text: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let index = from; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    // The text starts with a brace, so the parsed value is an object.
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/**
 * A finite number in a model's reply: plain, or as digits in a string (completions 7.4). `9/10` and `nine` are invalid.
 */
export const statedNumber = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*[+-]?\d+(\.\d+)?\s*$/)
      .transform(Number),
  ])
  .refine(Number.isFinite);
