import type { Handler } from "@touchstone/service-kit";
import type { PatternBook } from "../../patterns/pattern-book.ts";
import { updatePattern } from "./update-pattern.ts";

/** PATCH /monitor/patterns/{patternId}: the same as PUT, which changes only what is sent too (completions 9.3). */
export function patchPattern(dependencies: { book: PatternBook }): Handler {
  return updatePattern(dependencies);
}
