import type { Answer, Scenario } from "../content/scenario.ts";

/** What the sample project knows of an answer that one of its agents gave. */
export interface KnownAnswer {
  scenario: Scenario;
  answer: Answer;
}

/** What the scripted judge knows, by the very texts. */
export interface Knowledge {
  answers: ReadonlyMap<string, KnownAnswer>;
  /** What a person would have answered, by the question. */
  expected: ReadonlyMap<string, string>;
}
