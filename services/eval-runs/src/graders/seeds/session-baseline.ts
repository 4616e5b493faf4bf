import { sessionBaselineKey } from "../config-rules.ts";
import type { Seed } from "./seed.ts";

/** The judge that every project has and keeps: of whole conversations, paused until somebody wants it. */
export const sessionBaselineSeed: Seed = {
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
