import type { Handler } from "@touchstone/service-kit";
import type { PatternBook } from "../../patterns/pattern-book.ts";
import { updatePattern } from "./update-pattern.ts";

/** PUT /agent-monitoring/patterns/{patternId}: the other address of the same (completions 9.3). */
export function updateMonitoringPattern(dependencies: { book: PatternBook }): Handler {
  return updatePattern(dependencies);
}
