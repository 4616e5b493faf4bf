import type { JudgedTrace } from "@touchstone/contracts";

/** What a pattern or a custom scorer, as a member of a group, found in a trace. */
export interface MemberFinding {
  name: string;
  /** 0 to 1; null = it found nothing (completions 4.4). */
  goodness: number | null;
  /** Why it found nothing, for people to read. */
  because: string | null;
  /** The budget of live judge calls kept it from asking. */
  stoppedByBudget?: boolean;
}

/** The trace that a group judges. */
export interface MemberTrace {
  projectId: string;
  trace: JudgedTrace;
}

/** Whoever scores a member is not there at all: no fault of the group. */
export class AwayError extends Error {}

/**
 * How members of one kind are scored. Null: there is no such pattern or scorer. Throws for what may pass, an
 * {@link AwayError} where nobody is there who could score it.
 */
export type ScoreMember = (refId: string, trace: MemberTrace, signal: AbortSignal) => Promise<MemberFinding | null>;

/** A kind that is missing gives nothing. */
export type MemberScorers = Partial<Record<"pattern" | "custom", ScoreMember>>;
