import { sessionBaselineKey } from "../config-rules.ts";
import { ragSeeds } from "./rag.ts";
import { safetySeeds } from "./safety.ts";
import type { Seed } from "./seed.ts";

/** An editable example with each kind of criterion. */
const exampleSeed: Seed = {
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

/** The judge that every project has and cannot delete: it judges whole conversations, and is paused until enabled. */
const sessionBaselineSeed: Seed = {
  key: sessionBaselineKey,
  config: {
    name: "Session Baseline Judge",
    description: "Grades whole conversations by how they end for the user. Built in, and paused until it is enabled.",
    acceptanceCriteria: `- By the end, what the user came for is done or answered; or the user knows why not, and what comes next.
- The agent keeps in mind what was said earlier: the user has to say nothing twice.`,
    rejectionCriteria: `- The conversation ends with the request neither met nor handed on, and the agent does not say so.
- The agent contradicts itself on a point that matters and does not correct it.
- The agent gives the same answer again after the user said that it does not help.`,
    evaluationCriteria: `Grade the conversation as a whole, by its end more than by its single turns.
10 - The user got what they came for without detours.
5 - The user got it in part, or only after insisting, repeating or correcting.
0 - The user leaves without it, or misled.
A mistake that the agent corrects itself costs little. What the user never asked for is not missing.`,
    toolContext: "simple",
  },
  online: {
    builtinKey: sessionBaselineKey,
    enabled: false,
    scope: "session",
    alertThreshold: 5,
    severity: "low",
  },
};

/** All seeds, in the order in which lists show them (completions 4.3). */
export const seeds: readonly Seed[] = [exampleSeed, ...ragSeeds, ...safetySeeds, sessionBaselineSeed];
