import { limits } from "@touchstone/contracts";
import { z } from "zod";
import { findObjects, statedNumber } from "../prompting/read-reply.ts";
import { makeStorable } from "../prompting/storable-text.ts";

/** What a judge said, made safe: `rating` is between 0 and 10, `justification` can be stored. */
export interface ParsedVerdict {
  rating: number;
  justification: string;
}

/** Longest justification that is kept. A judge is asked for four sentences; a longer one is cut, visibly. */
export const justificationMaxChars = 20_000;

const reply = z.object({ rating: statedNumber, justification: z.string().catch("") });

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
    found ??= {
      rating: clamp(read.data.rating),
      justification: makeStorable(read.data.justification, justificationMaxChars),
    };
  }
  return found;
}

/** `+ 0` turns a negative zero into zero, which JSON would otherwise print as `0` and a test would see as `-0`. */
function clamp(value: number): number {
  return Math.min(limits.ratingMax, Math.max(limits.ratingMin, value)) + 0;
}
