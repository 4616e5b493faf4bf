import type { Seed } from "./seed.ts";

/** Shows what each kind of criterion is for; meant to be changed. */
export const exampleSeed: Seed = {
  key: "example-judge",
  config: {
    name: "Example: Support Answer",
    description:
      "A judge to start from: it grades answers of a support agent by criteria. Change the criteria to what a good answer is for you.",
    acceptanceCriteria: `- The answer settles what was asked: who reads it knows what holds, or what to do next.
- Facts, names, numbers and dates in it agree with the expected result and with what was retrieved, where there is either.
- What the agent does not know or cannot do, it says, and names who can or what comes next.`,
    rejectionCriteria: `- It states something as a fact that contradicts the expected result or what was retrieved.
- It promises what it cannot know to be kept: a refund, a date, an exception from the rules.
- It sends the user away without an answer or a next step.`,
    evaluationCriteria: `Weigh correctness before completeness, and completeness before wording.
10 - Correct and complete; the user needs nothing more.
5 - Correct as far as it goes, but a condition, an exception or the next step is missing, so the user has to ask again.
0 - Wrong on the point that matters, or no answer.`,
    toolContext: "simple",
  },
};
