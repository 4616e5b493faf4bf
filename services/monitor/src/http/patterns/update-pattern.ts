import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { PatternBook } from "../../patterns/pattern-book.ts";
import { renderPattern } from "../../patterns/render-pattern.ts";
import { ownPatternId, patternNotFound } from "./pattern-id.ts";

/** PUT /monitor/patterns/{patternId} (completions 9.3): only what is sent changes. */
export function updatePattern({ book }: { book: PatternBook }): Handler {
  return async (call) => {
    const sent = (await readJsonObject(call)).value;
    const pattern = await book.update(requireProject(call), ownPatternId(call), sent, actOf(call.identity));
    return { status: 200, body: { pattern: renderPattern(pattern ?? patternNotFound()) } };
  };
}
