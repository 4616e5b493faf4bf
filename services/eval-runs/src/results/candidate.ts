import type { VerdictMode } from "@touchstone/contracts";
import { type Clock, uuidv7 } from "@touchstone/service-kit";
import type { EvaluationCase, Grading } from "../grading/cases.ts";
import { failedCase, type Judgement, leftToClient, type SubmittedResult } from "../judging/judgement.ts";
import { composeResult, neverJudged, type StoredResult } from "./stored-result.ts";

/** A batch of valid results with different idempotency keys. */
export interface Batch {
  projectId: string;
  /** The organization that the judge calls are counted for; null without organizations. */
  organizationId: string | null;
  runId: string;
  batchId: string;
  verdictMode: VerdictMode;
  grading: Grading;
  /** The client scores its results: no judge is asked. */
  isExternal: boolean;
  results: readonly SubmittedResult[];
}

/** One result of a batch that is being scored, with the case it answers. */
export interface Candidate {
  submitted: SubmittedResult;
  /** Null when its question does not exist: it is judged without case data (completions 5.3). */
  evaluationCase: EvaluationCase | null;
  keyDigest: string;
  /** The result as it is stored if it is never judged; its claim stores this. */
  unjudged: StoredResult;
  /** The result with its judgement. */
  compose(judgement: Judgement): StoredResult;
}

/** Gives each result of a batch its id and its case. */
export function composeCandidates({ grading, batchId, isExternal, results }: Batch, clock: Clock): Candidate[] {
  const now = clock.now();
  return results.map((submitted) => {
    // Made in sequence, so that results sort as they were submitted.
    const id = uuidv7(now);
    const { questionIndex } = submitted;
    const evaluationCase = questionIndex === null ? null : (grading.cases[questionIndex] ?? null);
    const compose = (judgement: Judgement) =>
      composeResult(id, submitted, judgement, { plan: grading.plan, evaluationCase, batchId });
    const unjudged = compose(isExternal ? leftToClient(submitted) : judgeLess(submitted));
    return { submitted, evaluationCase, keyDigest: unjudged.keyDigest, unjudged, compose };
  });
}

const judgeLess = ({ error }: SubmittedResult): Judgement => (error === null ? neverJudged : failedCase(error));
