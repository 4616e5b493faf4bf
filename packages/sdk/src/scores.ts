import { createHash } from "node:crypto";
import { ApiError } from "./api-error.ts";
import type { Touchstone } from "./client.ts";
import type { EvaluationCase } from "./dataset.ts";

export type ScoreValue = number | string | boolean;

const scoresPerRequest = 500;
const textMaxChars = 10_000;
const nameMaxChars = 256;

/** What a scorer sees. */
export interface ScoredAnswer extends EvaluationCase {
  output: string;
  runNumber: number;
}

/** Scores an answer on this machine; null gives no score. */
export type Scorer = (answer: ScoredAnswer) => ScoreValue | null | Promise<ScoreValue | null>;

/** A score of one answer. */
export interface Score {
  /** The same for the same scorer and answer, so that a repetition replaces it. */
  id: string;
  name: string;
  value: ScoreValue;
  source: "code";
  runId: string;
  caseId: string;
  runNumber: number;
}

/** With the id by which Touchstone knows the trace of the answer. */
export type LinkedScore = Score & { traceId?: string };

/** The scores of an answer. A scorer that throws gives none, and is reported. */
export async function scoreAnswer(
  scorers: Readonly<Record<string, Scorer>>,
  answer: ScoredAnswer,
  { runId, key }: { runId: string; key: string },
  onFailure: (name: string, error: unknown) => void,
): Promise<Score[]> {
  const scores: Score[] = [];
  for (const [name, scorer] of Object.entries(scorers)) {
    try {
      const value = await scorer(answer);
      if (value === null) continue;
      requireValue(value);
      const { caseId, runNumber } = answer;
      scores.push({ id: scoreId(key, name), name, value, source: "code", runId, caseId, runNumber });
    } catch (error) {
      onFailure(name, error);
    }
  }
  return scores;
}

/** Stores scores. An installation from before this route is an error with that sentence. */
export async function sendScores(client: Touchstone, scores: readonly LinkedScore[]): Promise<void> {
  try {
    for (let start = 0; start < scores.length; start += scoresPerRequest) {
      await client.api.POST("/api/v1/scores", { body: scores.slice(start, start + scoresPerRequest) });
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new ApiError(
      `Touchstone at ${client.url} takes no scores yet (POST /api/v1/scores is not found): upgrade it, or evaluate without scorers.`,
      { status: 404, requestId: error.requestId, cause: error },
    );
  }
}

/** One value that the API refuses would keep the others of its request from being stored. */
function requireValue(value: unknown): asserts value is ScoreValue {
  const isValue =
    typeof value === "boolean" ||
    (typeof value === "number" && Number.isFinite(value)) ||
    (typeof value === "string" && value.length <= textMaxChars && isStorable(value));
  if (!isValue)
    throw new TypeError(`A score is a finite number, a boolean or a text of at most ${textMaxChars} characters.`);
}

/** Throws for a name that the API would refuse. */
export function requireScorerNames(names: readonly string[]): void {
  for (const name of names) {
    if (name !== "" && name.length <= nameMaxChars && isStorable(name)) continue;
    throw new TypeError(`The name of a scorer is a text of 1 to ${nameMaxChars} characters.`);
  }
}

/** PostgreSQL stores neither the character NUL nor half of a pair of surrogates. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

function scoreId(key: string, name: string): string {
  const hex = createHash("sha256").update(`${key}\0${name}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
