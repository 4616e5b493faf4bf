import type { Answer, Scenario } from "../content/scenario.ts";

/** What the sample project knows of an answer that one of its agents gave. */
export interface KnownAnswer {
  scenario: Scenario;
  answer: Answer;
}

/** Finds what is known by the answer's very text. */
export type Knowledge = ReadonlyMap<string, KnownAnswer>;
