import type { Handler } from "@touchstone/service-kit";
import type { PatternBook } from "../../patterns/pattern-book.ts";
import { deletePattern } from "./delete-pattern.ts";

/** DELETE /agent-monitoring/patterns/{patternId}: the other address of the same (completions 9.3). */
export function deleteMonitoringPattern(dependencies: { book: PatternBook }): Handler {
  return deletePattern(dependencies);
}
