/** The results of one version of an agent on a dataset. */
export interface DemoRun {
  dataset: string;
  version: string;
  framework: string;
  branch: string;
  commit: string;
  /** One letter for each case: good, weak, bad, error (e), or not answered yet (-). */
  answers: string;
  /** Names of further judges besides the dataset's own. */
  additional: readonly string[];
  /** Whether a judge that needs a reference replaces the dataset's own; the last case has no reference. */
  strict?: boolean;
  isAnalysed?: boolean;
}

/**
 * Oldest first. The second improves on the first, the third is clearly worse; the comparison of the next two is
 * inconclusive.
 */
export const demoRuns: readonly DemoRun[] = [
  {
    dataset: "Refund policy",
    version: "1.3.8",
    framework: "langgraph",
    branch: "main",
    commit: "4f1c9a2",
    answers: "gwgwwgwbgwgwgw",
    additional: ["Tone"],
  },
  {
    dataset: "Refund policy",
    version: "1.3.9",
    framework: "langgraph",
    branch: "main",
    commit: "b83e07d",
    answers: "ggggggggwggggg",
    additional: ["Tone"],
    isAnalysed: true,
  },
  {
    dataset: "Support answers",
    version: "2.0.0",
    framework: "openai-agents",
    branch: "main",
    commit: "90ab4c1",
    answers: "gwgggbgwggwg",
    additional: ["Helpful", "Tone"],
  },
  {
    dataset: "Support answers",
    version: "2.1.0",
    framework: "openai-agents",
    branch: "feature/short-answers",
    commit: "17de5f0",
    answers: "ggwggggbggwg",
    additional: ["Helpful", "Tone"],
  },
  {
    dataset: "SQL questions",
    version: "0.8.0",
    framework: "pydantic-ai",
    branch: "main",
    commit: "c0ffee1",
    answers: "wgbwgwwbwg",
    additional: [],
  },
  {
    dataset: "SQL questions",
    version: "0.9.0",
    framework: "pydantic-ai",
    branch: "main",
    commit: "5aa3e90",
    answers: "ggwggggwgg",
    additional: [],
  },
  {
    dataset: "SQL questions",
    version: "0.9.1",
    framework: "pydantic-ai",
    branch: "feature/window-functions",
    commit: "e2b7710",
    answers: "ggweggggwg",
    additional: [],
    strict: true,
  },
  {
    dataset: "Refund policy",
    version: "1.4.0",
    framework: "langgraph",
    branch: "main",
    commit: "d94c3b6",
    answers: "bgbgbgwebgwbgw",
    additional: ["Tone", "Policy"],
    isAnalysed: true,
  },
];

/** One evaluation in a pipeline. */
export interface DemoCiRun {
  dataset: string;
  agent: string;
  branch: string;
  commit: string;
  triggeredBy: string;
  pullRequest?: number;
  answers: string;
}

/** Oldest first; the last one is last night's. */
export const demoCiRuns: readonly DemoCiRun[] = [
  {
    dataset: "Refund policy",
    agent: "refund-agent",
    branch: "main",
    commit: "4f1c9a2",
    triggeredBy: "nightly",
    answers: "ggggwgggggwgbg",
  },
  {
    dataset: "Refund policy",
    agent: "refund-agent",
    branch: "fix/refund-timeout",
    commit: "a1709be",
    triggeredBy: "mara",
    pullRequest: 412,
    answers: "gbgggwbgwggbgg",
  },
  {
    dataset: "Refund policy",
    agent: "refund-agent",
    branch: "fix/refund-timeout",
    commit: "c55d1e8",
    triggeredBy: "mara",
    pullRequest: 412,
    answers: "ggggggwggggggg",
  },
  {
    dataset: "Support answers",
    agent: "support-agent",
    branch: "feature/short-answers",
    commit: "17de5f0",
    triggeredBy: "jonas",
    pullRequest: 418,
    answers: "gwbgggwbggwg",
  },
  {
    dataset: "SQL questions",
    agent: "sql-analyst",
    branch: "main",
    commit: "5aa3e90",
    triggeredBy: "nightly",
    answers: "ggwggggggg",
  },
  {
    dataset: "Refund policy",
    agent: "refund-agent",
    branch: "main",
    commit: "b83e07d",
    triggeredBy: "nightly",
    answers: "gggggggggwgggg",
  },
  {
    dataset: "Refund policy",
    agent: "refund-agent",
    branch: "main",
    commit: "d94c3b6",
    triggeredBy: "nightly",
    answers: "bgbgbgwebgwbgg",
  },
];
