import type {
  DeterministicScore,
  SimilarityScores,
  SkipReason,
  scoreMembers,
  scoreResult,
  Verdict,
  VerdictMode,
} from "@touchstone/contracts";
import type { z } from "zod";

export type JudgeRequest = z.input<typeof scoreResult.body>;

/**
 * Why a stored result has no rating: a judge's reason, or that its run was finalized before it was judged, or that nobody
 * was there who scores the patterns and custom scorers of its group.
 */
export type StoredSkipReason = SkipReason | "run_finalized" | "no_scorer";

/** What a pattern or custom scorer found as a member of a group: 0 to 1, or null, and then why. */
export type MemberFinding = z.output<typeof scoreMembers.reply>["findings"][number];

/** One valid result of a batch (interface: POST runs/{runId}/results), defaults filled in. */
export interface SubmittedResult {
  idempotencyKey: string;
  caseId: string;
  /** Null = it answers no question of a dataset: a trace that is graded by itself. */
  questionIndex: number | null;
  runNumber: number;
  /** What was asked; null = not stated, the case's query counts. */
  query: string | null;
  /** What the agent answered; null only beside an error. */
  outputText: string | null;
  error: { type?: string; message?: string } | null;
  traceId: string | null;
  retrievalContext: string | readonly string[] | null;
  latencyMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  isVariant: boolean;
  variantText: string | null;
}

/** What was found out about one result, whoever found it out. */
export interface Judgement {
  status: "scored" | "skipped" | "failed";
  /** 0 to 10; null exactly when skipped. */
  rating: number | null;
  justification: string;
  /** Null unless skipped. */
  skipReason: StoredSkipReason | null;
  /** Where the rating comes from; null when no judge gave it. */
  verdictSource: VerdictMode | null;
  /** Of the record behind the rating or its absence; null when there is none, and of a group, whose judges have theirs. */
  verdictId: string | null;
  /** Empty when nothing was computed. */
  similarity: SimilarityScores;
  /** What each judge said, by the id of its rubric; empty when none was heard. */
  verdicts: ReadonlyMap<string, Verdict>;
  /** The deterministic scorers in the order asked; empty when none was heard. */
  deterministic: readonly DeterministicScore[];
  /** What the group's patterns and custom scorers found, in their order; empty when they were not heard. */
  members: readonly MemberFinding[];
}

const nothingHeard = {
  verdictSource: null,
  verdictId: null,
  similarity: {},
  verdicts: new Map<string, Verdict>(),
  deterministic: [],
  members: [],
};

/** A result that no judge could rate. `justification` is what the client reads as the reason. */
export function skipped(skipReason: StoredSkipReason, justification: string): Judgement {
  return { status: "skipped", rating: null, justification, skipReason, ...nothingHeard };
}

/** A result submitted with an error: rated 0 without a judge (interface: Result status; completions 5.3). */
export function failedCase(error: { type?: string; message?: string }): Judgement {
  const { type = "Error", message = "no message" } = error;
  const justification = `Case failed with error: ${type}: ${message}`;
  return { status: "failed", rating: 0, justification, skipReason: null, ...nothingHeard };
}
