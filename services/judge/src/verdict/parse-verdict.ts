import { limits } from "@touchstone/contracts";
import { z } from "zod";

/** What a judge said, made safe: `rating` is between 0 and 10, `justification` can be stored. */
export interface ParsedVerdict {
  rating: number;
  justification: string;
}

/** Longest justification that is kept. A judge is asked for four sentences; a longer one is cut, visibly. */
export const justificationMaxChars = 20_000;

const rating = z.union([
  z.number(),
  z
    .string()
    .regex(/^\s*[+-]?\d+(\.\d+)?\s*$/)
    .transform(Number),
]);
const reply = z.object({ rating: rating.refine(Number.isFinite), justification: z.string().catch("") });

/**
 * Reads the verdict out of a judge's reply (completions 7.4), or null when it holds no usable rating. Code fences and
 * prose around the JSON are tolerated, extra members ignored, numeric strings accepted, and the rating is clamped to
 * 0..10. A reply with several objects that disagree on the rating is unusable: one of them may be a quotation from
 * the text that was judged.
 */
export function parseVerdict(text: string): ParsedVerdict | null {
  let found: ParsedVerdict | null = null;
  for (const object of findObjects(text)) {
    const read = reply.safeParse(object);
    if (!read.success) {
      // The first object decides. One that states a rating we cannot read is not passed over for a better one.
      if (found === null || "rating" in object) return null;
      continue;
    }
    if (found !== null && found.rating !== clamp(read.data.rating)) return null;
    found ??= { rating: clamp(read.data.rating), justification: makeStorable(read.data.justification) };
  }
  return found;
}

/** `+ 0` turns a negative zero into zero, which JSON would otherwise print as `0` and a test would see as `-0`. */
function clamp(value: number): number {
  return Math.min(limits.ratingMax, Math.max(limits.ratingMin, value)) + 0;
}

/** PostgreSQL takes neither NUL nor half a surrogate pair. */
function makeStorable(text: string): string {
  const whole = text.replaceAll("\0", "\uFFFD").toWellFormed();
  if (whole.length <= justificationMaxChars) return whole;
  return `${whole.slice(0, justificationMaxChars).toWellFormed()}... [cut after ${justificationMaxChars} characters]`;
}

/** Braces that were tried as the start of an object. Text that is nothing but braces must not cost quadratic time. */
const startsMax = 64;

/** The JSON objects in a text, outermost only, in order. */
function* findObjects(text: string): Generator<object> {
  let starts = 0;
  for (let from = text.indexOf("{"); from >= 0 && starts < startsMax; starts += 1) {
    const end = findObjectEnd(text, from);
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

function parseObject(text: string): object | null {
  try {
    // The text starts with a brace, so what parses is an object.
    return JSON.parse(text) as object;
  } catch {
    return null;
  }
}
