import { actOf, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import type { PatternBook } from "../../patterns/pattern-book.ts";
import { renderPattern } from "../../patterns/render-pattern.ts";

/** POST /monitor/patterns (completions 9.3). */
export function createPattern({ book }: { book: PatternBook }): Handler {
  return async (call) => {
    const sent = (await readJsonObject(call)).value;
    const pattern = await book.create(requireProject(call), sent, actOf(call.identity));
    return { status: 201, body: { pattern: renderPattern(pattern) } };
  };
}
