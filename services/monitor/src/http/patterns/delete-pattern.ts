import { actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { PatternBook } from "../../patterns/pattern-book.ts";
import { ownPatternId, patternNotFound } from "./pattern-id.ts";

/** DELETE /monitor/patterns/{patternId} (completions 9.3). What it found stays. */
export function deletePattern({ book }: { book: PatternBook }): Handler {
  return async (call) => {
    const isGone = await book.delete(requireProject(call), ownPatternId(call), actOf(call.identity));
    return isGone ? { status: 204 } : patternNotFound();
  };
}
