import type { Answer, Scenario } from "../content/scenario.ts";

/** The known facts about an answer by an agent of the sample project. */
export interface KnownAnswer {
  scenario: Scenario;
  answer: Answer;
}

/** The scripted judge's knowledge, by exact text. */
export interface Knowledge {
  answers: ReadonlyMap<string, KnownAnswer>;
  /** A person's answer, by question. */
  expected: ReadonlyMap<string, string>;
}
