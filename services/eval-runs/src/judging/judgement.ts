import type {
  DeterministicScore,
  resultRow,
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
 * The reason why a stored result has no rating: a judge's reason, or its run was finalized before it was judged, or no scorer
 * was available for the patterns and custom scorers of its group. Of an external run: its client scores it, and its output may
 * not be there yet.
 */
export type StoredSkipReason = SkipReason | "run_finalized" | "no_scorer" | ClientSkipReason;
type ClientSkipReason = "scored_by_client" | "awaiting_output";

/** A score between 0 and 1 beside the ratings of judges. */
export type CodeScore = NonNullable<z.output<typeof resultRow>["codeScorerResults"]>[number];

/** The finding of a pattern or custom scorer as a member of a group: 0 to 1, or null with a reason. */
export type MemberFinding = z.output<typeof scoreMembers.reply>["findings"][number];

/** A failure, as a client describes it. */
interface ReportedError {
  type?: string | undefined;
  message?: string | undefined;
}

/** One valid result of a batch (interface: POST runs/{runId}/results), defaults filled in. */
export interface SubmittedResult {
  idempotencyKey: string;
  caseId: string;
  /** Null = it answers no question of a dataset: a trace that is graded alone. */
  questionIndex: number | null;
  runNumber: number;
  /** The query; null = not sent, the case's query counts. */
  query: string | null;
  /** The agent's answer; null only beside an error, and while it is awaited with its trace. */
  outputText: string | null;
  error: ReportedError | null;
  traceId: string | null;
  retrievalContext: string | readonly string[] | null;
  latencyMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  isVariant: boolean;
  variantText: string | null;
  /** What the client of an external run computed; null for every other run. */
  scores: readonly CodeScore[] | null;
}

/** The judgement of one result, from any source. */
export interface Judgement {
  status: "scored" | "skipped" | "failed";
  /** 0 to 10; null exactly when skipped. */
  rating: number | null;
  justification: string;
  /** Null unless skipped. */
  skipReason: StoredSkipReason | null;
  /** The source of the rating; null when no judge gave it. */
  verdictSource: VerdictMode | null;
  /**
   * The record behind the rating or its absence; null when there is none, and for a group, whose judges have their own.
   */
  verdictId: string | null;
  /** Empty when nothing was computed. */
  similarity: SimilarityScores;
  /** Each judge's verdict, by the id of its rubric; empty without verdicts. */
  verdicts: ReadonlyMap<string, Verdict>;
  /** The deterministic scores in request order; empty without scores. */
  deterministic: readonly DeterministicScore[];
  /** The findings of the group's patterns and custom scorers, in their order; empty without findings. */
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

/** A result that no judge could rate. `justification` is the reason that the client reads. */
export function skipped(skipReason: StoredSkipReason, justification: string): Judgement {
  return { status: "skipped", rating: null, justification, skipReason, ...nothingHeard };
}

/** A result submitted with an error: rated 0 without a judge (interface: Result status; completions 5.3). */
export function failedCase(error: ReportedError): Judgement {
  const { type = "Error", message = "no message" } = error;
  const justification = `Case failed with error: ${type}: ${message}`;
  return { status: "failed", rating: 0, justification, skipReason: null, ...nothingHeard };
}

/** The source of external runs: their clients score the results (completions 5.13). */
export const externalSource = "external";

/** A result of an external run as it is submitted (completions 5.13): no judge is asked, whatever the result is. */
export function leftToClient({ outputText, error }: Pick<SubmittedResult, "outputText" | "error">): Judgement {
  const isAwaited = outputText === null && error === null;
  return skipped(isAwaited ? "awaiting_output" : "scored_by_client", "Not judged: scored by the client.");
}

/** True for a result that was {@link leftToClient}. */
export const isLeftToClient = ({ skipReason }: Pick<Judgement, "skipReason">): boolean =>
  skipReason === "scored_by_client" || skipReason === "awaiting_output";
