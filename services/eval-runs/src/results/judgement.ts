import type { SimilarityScores, SkipReason, scoreResult } from "@touchstone/contracts";
import type { z } from "zod";

export type JudgeRequest = z.input<typeof scoreResult.body>;

/** Why a stored result has no rating: a judge's reason, or that its run was finalized before it was judged. */
export type StoredSkipReason = SkipReason | "run_finalized";

/** What was found out about one result, whoever found it out. */
export interface Judgement {
  status: "scored" | "skipped" | "failed";
  /** 0 to 10; null exactly when skipped. */
  rating: number | null;
  justification: string;
  /** Null unless skipped. */
  skipReason: StoredSkipReason | null;
  /** Empty when nothing was computed. */
  similarity: SimilarityScores;
}

/** A result that no judge could rate. `justification` is what the client reads as the reason. */
export function skipped(skipReason: StoredSkipReason, justification: string): Judgement {
  return { status: "skipped", rating: null, justification, skipReason, similarity: {} };
}

/** A result submitted with an error: rated 0 without a judge (interface: Result status; completions 5.3). */
export function failedCase(error: { type?: string; message?: string }): Judgement {
  const { type = "Error", message = "no message" } = error;
  return {
    status: "failed",
    rating: 0,
    justification: `Case failed with error: ${type}: ${message}`,
    skipReason: null,
    similarity: {},
  };
}
