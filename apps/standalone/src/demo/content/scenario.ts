/** One way an agent answers, and what a judge has to say of it. `{order}`, `{amount}` and `{item}` are filled in. */
export interface Answer {
  text: string;
  /** 0 to 10. */
  rating: number;
  /** What decides the rating. */
  because: string;
  /** A tool that fails on the way to this answer. */
  failedTool?: string;
}

/** Something that is asked of an agent again and again, with the ways it gets answered. */
export interface Scenario {
  query: string;
  /** What a person would have answered; the reference in datasets. */
  expected: string;
  good: Answer;
  /** The core is right, and something that matters is missing. */
  weak: Answer;
  bad: Answer;
  guideline?: string;
  /** What the agent finds in the documents before it answers. */
  context?: readonly string[];
  /** The tools a good answer needs, in order. */
  tools: readonly string[];
}
