import { actOf, type Handler } from "@touchstone/service-kit";
import type { PatternBook } from "../../patterns/pattern-book.ts";
import { renderPattern } from "../../patterns/render-pattern.ts";
import { readJsonObject } from "../read-json-object.ts";
import { requireProject } from "../require-project.ts";

/** POST /monitor/patterns (completions 9.3). */
export function createPattern({ book }: { book: PatternBook }): Handler {
  return async (call) => {
    const sent = await readJsonObject(call);
    const pattern = await book.create(requireProject(call), sent, actOf(call.identity));
    return { status: 201, body: { pattern: renderPattern(pattern) } };
  };
}
