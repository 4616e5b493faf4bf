import type { Answer, Scenario } from "../content/scenario.ts";
import type { DemoAgent } from "./agents.ts";

/** One run of an agent, without its times. */
export interface PlannedTrace {
  /** Unique in the sample project; ids are made of it. */
  key: string;
  agent: DemoAgent;
  model: string;
  scenario: Scenario;
  answer: Answer;
  /** With the details filled in. */
  query: string;
  output: string | null;
  /** Why the run failed; null: it did not. */
  error: string | null;
  retries: boolean;
  latencyMs: number;
  userId: string;
  sessionId: string;
  /** Which of the conversation's turns, from 0. */
  turn: number;
  /** Whether judges look at it. */
  isJudged: boolean;
}

/** A conversation: traces of one session, one after the other. */
export interface PlannedVisit {
  traces: readonly PlannedTrace[];
  /** Milliseconds from each turn's end to the next one's start. */
  pausesMs: readonly number[];
}
