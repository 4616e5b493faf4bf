import type { SettledTrace } from "@touchstone/contracts";
import type { Queryable, Transaction } from "@touchstone/db";

/** A check that is to be carried out of one trace or session; one of a kind, scorer, subject and round there ever is. */
export interface PlannedCheck {
  kind: CheckKind;
  /** Empty where the kind alone says whose check it is. */
  scorerId: string;
  subjectId: string;
  /** Counts the times a session was judged; 0 for a trace. */
  round: number;
  /** What was decided when the check was planned, as JSON; `carryOut` gets it back. */
  plan: unknown;
}

export type CheckKind = "patterns" | "judge" | "group" | "custom" | "topic";

/** A check in a worker's hands. */
export interface DueCheck extends PlannedCheck {
  id: string;
  projectId: string;
  /** 1 for the first try. */
  attempt: number;
}

/**
 * What came of a check. `record` writes what was found in the transaction that settles the check, under the project's
 * scope: it runs only if the check is still the worker's own. `note` is kept as the reason of a check that is done. `timeout`:
 * computing took too long and was ended; the check is tried once more, then it is given up and what was found besides is
 * written. `retry` puts the check back, for what may pass, and counts as a try. `postponed` puts it back without counting: whoever is
 * asked is not there at all (the bus, the judge, ingest), which is no fault of this check; the whole kind then waits for a while.
 */
export type CheckOutcome =
  | { outcome: "done"; record: (transaction: Queryable) => Promise<void>; note?: string | null }
  | { outcome: "timeout"; reason: string; record: (transaction: Queryable) => Promise<void> }
  | { outcome: "skipped"; reason: string }
  | { outcome: "retry"; reason: string }
  | { outcome: "postponed"; reason: string };

/** Tries of a check, the first included; then it is given up. */
export const checkTriesMax = 5;
/** The same where computing takes too long: it would the next time, too, unless the machine was busy. */
export const timeoutTriesMax = 2;

/** One kind of live check. Kinds know nothing of one another: one that fails removes only itself (completions 2.2). */
export interface Check {
  kind: CheckKind;
  /** Set where child spans are none of its business, even in an installation that has them checked (completions 1.7). */
  ignoresChildren?: true;
  /**
   * Which checks of this kind a settled trace is due; asked once for each, within the transaction that plans them. Not
   * asked of traffic that is never watched, see `isWatched`.
   */
  plan(trace: SettledTrace, transaction: Transaction): Promise<PlannedCheck[]>;
  /** Throwing counts as `retry`; after the fifth try the check is given up with the reason. */
  carryOut(check: DueCheck, signal: AbortSignal): Promise<CheckOutcome>;
}
