import type { Answer, Scenario } from "../content/scenario.ts";
import type { DemoAgent } from "./agents.ts";

/** One run of an agent, without its times. */
export interface PlannedTrace {
  /** Unique in the sample project; ids are derived from it. */
  key: string;
  agent: DemoAgent;
  model: string;
  scenario: Scenario;
  answer: Answer;
  /** With the details filled in. */
  query: string;
  output: string | null;
  /** The run's error; null if it succeeded. */
  error: string | null;
  retries: boolean;
  latencyMs: number;
  userId: string;
  sessionId: string;
  /** Index of its turn in the conversation, from 0. */
  turn: number;
  /** Whether it is judged. */
  isJudged: boolean;
}

/** A conversation: the traces of one session in order. */
export interface PlannedVisit {
  traces: readonly PlannedTrace[];
  /** Milliseconds from each turn's end to the next one's start. */
  pausesMs: readonly number[];
}
