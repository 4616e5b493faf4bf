import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@touchstone/db";
import { completeRun } from "./run-completion-store.ts";
import type { RunStore, StoredRun, TerminalStatus } from "./run-store.ts";

const pollMs = 100;

/** Refuses the run of a CI run, which only the CI routes fill and end. */
export type RefuseCiRun = (projectId: string, runId: string) => Promise<void>;

export interface FinalizingDependencies {
  database: Database;
  runs: RunStore;
  /** The longest duration of a batch. */
  batchMs: number;
  /** Aborted when the service stops; a later finalize, or the sweeper, then ends the run. */
  signal: AbortSignal;
}

/**
 * Finalizes a run (completions 5.4; decision 11): closes it to new batches, waits for results that are being judged, stores
 * unfinished ones as skipped, and ends the run. Idempotent, and safe to run concurrently. A run that waited longer than
 * `batchMs` ends in any case: no batch lives longer. Returns the run before it ended, or null when there is none.
 */
export async function finalizeRun(
  { database, runs, batchMs, signal }: FinalizingDependencies,
  { projectId, runId, status }: { projectId: string; runId: string; status: TerminalStatus },
): Promise<StoredRun | null> {
  const run = await runs.beginClosing(projectId, runId, status);
  if (run === null || run.status !== "in_progress") return run;
  const waitingSinceMs = performance.now();
  while (performance.now() - waitingSinceMs < batchMs && (await runs.countLiveClaims(projectId, runId)) > 0) {
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  await database.scoped([projectId], (transaction) => completeRun(transaction, projectId, runId));
  return run;
}
