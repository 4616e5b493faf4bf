/** A grading config that every project receives once (completions 4.3). */
export interface Seed {
  /** Its permanent name: a project that deleted the config does not receive it again. */
  key: string;
  /** The members of its document. */
  config: {
    name: string;
    description: string;
    acceptanceCriteria?: string;
    rejectionCriteria?: string;
    evaluationCriteria?: string;
    judgePrompt?: string;
    toolContext: "none" | "simple" | "detailed";
  };
  /** Members of its live profile that differ from the defaults; absent = it judges no live traffic. */
  online?: Readonly<Record<string, unknown>> & { builtinKey: string };
}
