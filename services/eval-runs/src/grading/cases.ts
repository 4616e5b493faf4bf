import type { DeterministicRequest } from "@touchstone/contracts";
import { type GradingPlan, type GradingSource, planOfDataset, type StoredDocument } from "./plan.ts";

/** The grading of a run: its plan, and the cases of the dataset version it was created with. */
export interface Grading {
  plan: GradingPlan;
  /** By question index. */
  cases: readonly EvaluationCase[];
  /** The number of answers per case. */
  numberOfRequests: number;
}

/** One question of a dataset with its per-case inputs (completions 3.2). Null = the case has none. */
export interface EvaluationCase {
  query: string;
  /** Asked after it, in this order. */
  followUps: readonly string[];
  expectedResults: string | null;
  judgeGuideline: string | null;
  retrievalContext: string | readonly string[] | null;
  /** The expected retrieval result as one text; enables the context match scorer. */
  expectedRetrievalContext: string | null;
  /** Enables the trajectory match scorer. */
  expectedTrajectory: ExpectedTrajectory | null;
  expectedCapabilities: readonly string[];
  expectedKnowledgeBase: readonly string[];
  expectedDelegations: readonly string[];
  /** Paraphrases to make when a run is created; null = none. */
  smokeTest: { count: number; guidance: string | null } | null;
}

export type ExpectedTrajectory = Pick<NonNullable<DeterministicRequest["trajectoryMatch"]>, "tools" | "mode">;

/** Reads a dataset version, which {@link composeDatasetDocument} has checked: its cases and its own grading. */
export function readGrading(dataset: GradingSource): Grading {
  const stored: StoredDataset = JSON.parse(dataset.document);
  const { questions, numberOfRequests } = stored;
  return {
    plan: planOfDataset(dataset, stored),
    cases: questions.map(readCase),
    numberOfRequests,
  };
}

/** A case keeps its members as they were sent, so members without a specified rule need checks here. */
function readCase({ main_question: main, follow_up_questions: followUps }: StoredQuestion): EvaluationCase {
  return {
    query: main.query,
    followUps: (followUps ?? []).map(({ query }) => query),
    expectedResults: filledOrNull(main.expectedResults),
    judgeGuideline: filledOrNull(main.judgeGuideline),
    retrievalContext: main.retrievalContext ?? null,
    expectedRetrievalContext: readExpectedContext(main.expectedRetrievalContext),
    expectedTrajectory: readExpectedTrajectory(main.expectedTrajectory),
    expectedCapabilities: textsOf(main.expectedCapabilities),
    expectedKnowledgeBase: textsOf(main.expectedKnowledgeBase),
    expectedDelegations: textsOf(main.expectedDelegations),
    smokeTest: readSmokeTest(main.smokeTest),
  };
}

function readExpectedContext(context: unknown): string | null {
  return filledOrNull(typeof context === "string" ? context : textsOf(context).join("\n\n"));
}

const trajectoryModes = ["strict", "unordered", "subset", "superset"] as const;

/** An unknown mode is strict (completions 3.2). */
function readExpectedTrajectory(value: unknown): ExpectedTrajectory | null {
  if (!isObject(value) || !Array.isArray(value.tools)) return null;
  const mode = trajectoryModes.find((known) => known === value.mode) ?? "strict";
  return { tools: textsOf(value.tools), mode };
}

function readSmokeTest(value: unknown): EvaluationCase["smokeTest"] {
  if (!isObject(value) || value.enabled !== true) return null;
  const count = typeof value.count === "number" ? Math.trunc(value.count) : 1;
  if (!(count > 0)) return null;
  return { count, guidance: typeof value.guidance === "string" ? filledOrNull(value.guidance) : null };
}

/** A blank text counts as absent. */
const filledOrNull = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text.trim() === "" ? null : text;

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((element) => typeof element === "string") : [];

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

interface StoredDataset extends StoredDocument {
  questions: StoredQuestion[];
  numberOfRequests: number;
}

interface StoredQuestion {
  main_question: StoredCase;
  follow_up_questions?: { query: string }[] | null;
}

interface StoredCase {
  query: string;
  expectedResults?: string | null;
  judgeGuideline?: string | null;
  retrievalContext?: string | string[] | null;
  expectedRetrievalContext?: unknown;
  expectedTrajectory?: unknown;
  expectedCapabilities?: unknown;
  expectedKnowledgeBase?: unknown;
  expectedDelegations?: unknown;
  smokeTest?: unknown;
}
