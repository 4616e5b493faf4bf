/** Judges of the sample project. `agents` lists the agents whose live traffic it rates; null for none. */
export interface DemoJudgeScorer {
  name: string;
  description: string;
  judge: Record<string, unknown>;
  live: { agents: readonly string[] | "all"; threshold: number; severity: string; scope?: "session" } | null;
  /** The first version of its rubric, which was improved before it judged anything. */
  firstCriteria?: string;
}

export const demoJudgeScorers: readonly DemoJudgeScorer[] = [
  {
    name: "Helpful",
    description: "Does the answer help the person who asked?",
    judge: {
      evaluationCriteria:
        "How far the answer helps the person who asked: it answers what was asked and says what to do next.",
      toolContext: "none",
    },
    live: { agents: "all", threshold: 5, severity: "medium" },
    firstCriteria: "Is the answer helpful?",
  },
  {
    name: "Policy",
    description: "Does the refund agent keep to the returns policy?",
    judge: {
      evaluationCriteria:
        "Whether every promise of the answer is allowed by the returns policy and confirmed by the tools that ran.",
      rejectionCriteria: "Promises a refund, a cancellation or a date that no tool confirmed.",
      toolContext: "detailed",
    },
    live: { agents: ["refund-agent"], threshold: 5, severity: "high" },
  },
  {
    name: "Grounded",
    description: "Is the answer supported by the retrieved pages?",
    judge: {
      evaluationCriteria: "Whether everything in the answer is supported by what was retrieved.",
      toolContext: "simple",
    },
    live: { agents: ["docs-search"], threshold: 5, severity: "medium" },
  },
  {
    name: "Conversation",
    description: "Did the conversation as a whole get somewhere?",
    judge: {
      evaluationCriteria: "Whether the conversation helped: it ends with the matter settled or with a clear next step.",
    },
    live: { agents: "all", threshold: 5, severity: "low", scope: "session" },
  },
  {
    name: "Tone",
    description: "Is the tone friendly and plain?",
    judge: { evaluationCriteria: "The tone: friendly, plain, without blame." },
    live: null,
  },
  {
    name: "Needs a reference",
    description: "Compares with the expected result and skips cases that have none.",
    judge: { evaluationCriteria: "Correct against the expected result.", requiresExpected: true },
    live: null,
  },
];
