import { detailsOfCase, fill } from "../content/fill.ts";
import { demoDatasets } from "../evaluation/demo-datasets.ts";
import type { PlannedVisit } from "../traffic/planned-trace.ts";
import type { Knowledge, KnownAnswer } from "./knowledge.ts";

/** Every answer and question of the sample project. */
export function knowledgeOfDemo(visits: readonly PlannedVisit[]): Knowledge {
  const answers = new Map<string, KnownAnswer>();
  const expected = new Map<string, string>();
  for (const { traces } of visits) {
    for (const { query, output, scenario, answer } of traces) {
      expected.set(query, scenario.expected.replace(/\{\w+\}/g, "it"));
      if (output !== null) answers.set(output, { scenario, answer });
    }
  }
  for (const { scenarios } of demoDatasets) {
    for (const [index, scenario] of scenarios.entries()) {
      const details = detailsOfCase(index);
      expected.set(fill(scenario.query, details), fill(scenario.expected, details));
      for (const answer of [scenario.good, scenario.weak, scenario.bad]) {
        answers.set(fill(answer.text, details), { scenario, answer });
      }
    }
  }
  return { answers, expected };
}
