import { detailsOfCase, fill } from "../content/fill.ts";
import { demoDatasets } from "../evaluation/demo-datasets.ts";
import type { PlannedVisit } from "../traffic/planned-trace.ts";
import type { Knowledge, KnownAnswer } from "./knowledge.ts";

/** Every answer of the sample project, by its text. */
export function knowledgeOfDemo(visits: readonly PlannedVisit[]): Knowledge {
  const known = new Map<string, KnownAnswer>();
  for (const { traces } of visits) {
    for (const { output, scenario, answer } of traces) if (output !== null) known.set(output, { scenario, answer });
  }
  for (const { scenarios } of demoDatasets) {
    for (const [index, scenario] of scenarios.entries()) {
      for (const answer of [scenario.good, scenario.weak, scenario.bad]) {
        known.set(fill(answer.text, detailsOfCase(index)), { scenario, answer });
      }
    }
  }
  return known;
}
