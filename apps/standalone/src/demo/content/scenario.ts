/** One possible answer of an agent, with the judge's opinion. `{order}`, `{amount}` and `{item}` are filled in. */
export interface Answer {
  text: string;
  /** 0 to 10. */
  rating: number;
  /** The reason for the rating. */
  because: string;
  /** A tool that fails before this answer. */
  failedTool?: string;
}

/** A recurring question to an agent, with its possible answers. */
export interface Scenario {
  query: string;
  /** A person's answer; the reference in datasets. */
  expected: string;
  good: Answer;
  /** The core is right, but something important is missing. */
  weak: Answer;
  bad: Answer;
  guideline?: string;
  /** The agent's search results before it answers. */
  context?: readonly string[];
  /** The tools that a good answer needs, in order. */
  tools: readonly string[];
}
