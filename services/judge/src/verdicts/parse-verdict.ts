import { limits } from "@touchstone/contracts";
import { z } from "zod";
import { findObjects, statedNumber } from "../prompting/read-reply.ts";
import { makeStorable } from "../prompting/storable-text.ts";

/** A judge's sanitized verdict: `rating` is between 0 and 10, `justification` can be stored. */
export interface ParsedVerdict {
  rating: number;
  justification: string;
}

/** The longest stored justification. A judge is asked for four sentences; a longer text is visibly truncated. */
export const justificationMaxChars = 20_000;

const reply = z.object({ rating: statedNumber, justification: z.string().catch("") });

/**
 * Parses the verdict from a judge's reply (completions 7.4), or returns null without a usable rating. Code fences and prose
 * around the JSON are tolerated, extra members ignored, numeric strings accepted, and the rating is clamped to 0..10. A reply
 * with several objects that disagree on the rating is unusable: one of them may be a quotation from the judged text.
 */
export function parseVerdict(text: string): ParsedVerdict | null {
  let found: ParsedVerdict | null = null;
  for (const object of findObjects(text)) {
    const read = reply.safeParse(object);
    if (!read.success) {
      // The first object decides. If its rating is unreadable, later objects are not used instead.
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
