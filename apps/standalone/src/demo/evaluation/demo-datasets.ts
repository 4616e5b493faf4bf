import { detailsOfCase, fill } from "../content/fill.ts";
import { refunds } from "../content/refunds.ts";
import type { Scenario } from "../content/scenario.ts";
import { sql } from "../content/sql.ts";
import { support } from "../content/support.ts";

/** A dataset of the sample project, with the agent that it tests. */
export interface DemoDataset {
  name: string;
  agent: string;
  scenarios: readonly Scenario[];
  settings: Record<string, unknown>;
  /** The members of a case besides question and expected result. */
  caseSettings(scenario: Scenario, index: number): Record<string, unknown>;
}

export const demoDatasets: readonly DemoDataset[] = [
  {
    name: "Refund policy",
    agent: "refund-agent",
    scenarios: refunds,
    settings: {
      description: "What the refund agent may promise, and what it may not. Collected from tickets and traces.",
      numberOfRequests: 2,
      acceptanceCriteria: "Applies the policy to this very case and says what happens next.",
      rejectionCriteria: "Promises money, deadlines or cancellations that the tools did not confirm.",
      evaluationCriteria:
        "Correct and complete against the expected result. A wrong promise weighs more than a missing detail.",
      jaccardSimilarity: { enabled: true },
      rougeScore: { enabled: true },
      ci: { enabled: true, passRateThreshold: 0.8, ratingThreshold: 6 },
    },
    caseSettings: ({ tools, guideline }, index) => ({
      expectedTrajectory: { tools, mode: "superset" },
      ...(guideline !== undefined && { judgeGuideline: guideline }),
      ...(index < 2 && { smokeTest: { enabled: true, count: 2 } }),
    }),
  },
  {
    name: "Support answers",
    agent: "support-agent",
    scenarios: support,
    settings: {
      description: "Frequent questions of customers, with the pages that answer them.",
      acceptanceCriteria: "Says what the customer asked for, with the figure that decides.",
      evaluationCriteria: "Correct, complete and short.",
      jaccardSimilarity: { enabled: true },
      bleuScore: { enabled: true },
      rougeScore: { enabled: true },
      codeScorers: [
        {
          name: "At most 60 words",
          code: 'const words = output.trim().split(/\\s+/).length;\nreturn { score: words <= 60 ? 1 : 0, reasoning: words + " words" };',
        },
      ],
      ci: { enabled: true, passRateThreshold: 0.75 },
    },
    caseSettings: ({ context, guideline }) => ({
      ...(context !== undefined && { retrievalContext: context }),
      ...(guideline !== undefined && { judgeGuideline: guideline }),
    }),
  },
  {
    name: "SQL questions",
    agent: "sql-analyst",
    scenarios: sql,
    settings: {
      description: "Questions on the shop's figures and the statements that answer them.",
      evaluationCriteria: "The statement returns the same rows as the expected one. Names and layout do not count.",
      rejectionCriteria: "Changes data.",
      rougeScore: { enabled: true },
      codeScorers: [
        { name: "Reads only", code: "return /^\\s*(select|with)\\b/i.test(output) ? 1 : 0;" },
        { name: "One statement", code: 'return output.trim().replace(/;$/, "").includes(";") ? 0 : 1;' },
      ],
      ci: { enabled: true, passRateThreshold: 0.7 },
    },
    caseSettings: ({ guideline }) => ({
      tags: ["select"],
      ...(guideline !== undefined && { judgeGuideline: guideline }),
    }),
  },
];

/** Finds a recorded trace with the scenario's question; null if there is none. */
export type FindSource = (scenario: Scenario) => string | null;

/** The body that creates the dataset. Every third case comes from a recorded trace. */
export function bodyOf(dataset: DemoDataset, findSource: FindSource): Record<string, unknown> {
  return {
    name: dataset.name,
    ...dataset.settings,
    questions: dataset.scenarios.map((scenario, index) => {
      const details = detailsOfCase(index);
      const traceId = index % 3 === 0 ? findSource(scenario) : null;
      return {
        main_question: {
          query: fill(scenario.query, details),
          expectedResults: fill(scenario.expected, details),
          ...dataset.caseSettings(scenario, index),
        },
        ...(traceId !== null && { source: { traceId } }),
        split: index % 4 === 3 ? "holdout" : "dev",
      };
    }),
  };
}
