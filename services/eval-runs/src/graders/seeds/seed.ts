/** A grading config that every project is given once (completions 4.3). */
export interface Seed {
  /** Names it for good: a project that was given it, and deleted it, is not given it again. */
  key: string;
  /** Its document's members. */
  config: {
    name: string;
    description: string;
    acceptanceCriteria?: string;
    rejectionCriteria?: string;
    evaluationCriteria?: string;
    judgePrompt?: string;
    toolContext: "none" | "simple" | "detailed";
  };
  /** What its live profile has besides the defaults; absent = it judges no live traffic. */
  online?: Readonly<Record<string, unknown>> & { builtinKey: string };
}
