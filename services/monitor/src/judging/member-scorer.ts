import type { JudgedTrace } from "@touchstone/contracts";

/** The finding of a pattern or a custom scorer, as a member of a group, for a trace. */
export interface MemberFinding {
  name: string;
  /** 0 to 1; null = no finding (completions 4.4). */
  goodness: number | null;
  /** The reason for no finding, for people to read. */
  because: string | null;
  /** The budget of live judge calls was exhausted. */
  stoppedByBudget?: boolean;
}

/** The trace that a group judges. */
export interface MemberTrace {
  projectId: string;
  trace: JudgedTrace;
}

/** The service that scores a member is unavailable, which is not the group's fault. */
export class UnavailableError extends Error {}

/**
 * Scores members of one kind. Null: there is no such pattern or scorer. Throws for temporary failures, an {@link UnavailableError} if
 * the service that could score it is unavailable.
 */
export type ScoreMember = (refId: string, trace: MemberTrace, signal: AbortSignal) => Promise<MemberFinding | null>;

/** Members of a missing kind have no findings. */
export type MemberScorers = Partial<Record<"pattern" | "custom", ScoreMember>>;
