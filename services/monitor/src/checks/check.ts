import type { SettledTrace } from "@touchstone/contracts";
import type { Queryable, Transaction } from "@touchstone/db";

/** A planned check of one trace or session; unique per kind, scorer, subject and round. */
export interface PlannedCheck {
  kind: CheckKind;
  /** Empty if the kind has a single scorer. */
  scorerId: string;
  subjectId: string;
  /** The number of the session's judging; 0 for a trace. */
  round: number;
  /** Decided when the check was planned, as JSON; passed to `carryOut`. */
  plan: unknown;
}

export type CheckKind = "patterns" | "judge" | "group" | "custom" | "topic";

/** A check that a worker has taken. */
export interface DueCheck extends PlannedCheck {
  id: string;
  projectId: string;
  /** 1 for the first try. */
  attempt: number;
}

/**
 * The outcome of a check. `record` writes the findings in the transaction that settles the check, under the project's scope: it
 * runs only while the worker holds the lease. `note` is stored as the reason of a check that is done. `timeout`: the
 * computation was aborted; the check is tried once more, then it is given up and its other findings are written. `retry` puts
 * the check back after a temporary failure, and counts as a try. `postponed` puts it back without counting: a dependency (the
 * bus, the judge, ingest) is unavailable, which is not the fault of this check; the whole kind is then delayed.
 */
export type CheckOutcome =
  | { outcome: "done"; record: (transaction: Queryable) => Promise<void>; note?: string | null }
  | { outcome: "timeout"; reason: string; record: (transaction: Queryable) => Promise<void> }
  | { outcome: "skipped"; reason: string }
  | { outcome: "retry"; reason: string }
  | { outcome: "postponed"; reason: string };

/** Tries of a check, including the first; then it is given up. */
export const checkTriesMax = 5;
/** The same for computations that time out: a retry helps only if the machine was busy. */
export const timeoutTriesMax = 2;

/** One kind of live check. Kinds are independent: one that fails affects only itself (completions 2.2). */
export interface Check {
  kind: CheckKind;
  /** Set if it skips child spans even in an installation that checks them (completions 1.7). */
  ignoresChildren?: true;
  /**
   * The checks of this kind that a settled trace is due; called once per trace, within the transaction that plans them. Not
   * called for unwatched traffic, see `isWatched`.
   */
  plan(trace: SettledTrace, transaction: Transaction): Promise<PlannedCheck[]>;
  /** Throwing counts as `retry`; after the fifth try the check is given up with the reason. */
  carryOut(check: DueCheck, signal: AbortSignal): Promise<CheckOutcome>;
}
