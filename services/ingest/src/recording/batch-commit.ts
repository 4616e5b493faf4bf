import { AppError, isAppError } from "@touchstone/service-kit";
import type { AdmittedJob } from "./queue-room.ts";

/** An admitted job that was not answered. */
export interface Waiting<Job, Answer> extends AdmittedJob {
  job: Job;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

export interface BatchCommitOptions<Job, Answer> {
  /**
   * Commits jobs together, each whole or not at all, and settles each. Rejects if nothing was committed. `writer` is
   * below `writerCount`; each writes one batch at a time.
   */
  write(jobs: readonly Job[], writer: number): Promise<PromiseSettledResult<Answer>[]>;
  sleep(ms: number): Promise<void>;
  /** Called after each commit, with the time it took. */
  onCommit?(ms: number): void;
}

const retryDelayMs = 250;

/**
 * Returns a function that commits a batch and answers all its jobs, each exactly once. It never rejects. `onAnswer` is called
 * right before each answer.
 */
export function createBatchCommit<Job, Answer>(
  options: BatchCommitOptions<Job, Answer>,
  { onAnswer }: { onAnswer: (waiting: Waiting<Job, Answer>) => void },
): (batch: readonly Waiting<Job, Answer>[], writer: number) => Promise<void> {
  async function commit(batch: readonly Waiting<Job, Answer>[], writer: number, isRetry: boolean): Promise<void> {
    let outcomes: PromiseSettledResult<Answer>[];
    const startedAtMs = performance.now();
    try {
      outcomes = await options.write(
        batch.map(({ job }) => job),
        writer,
      );
    } catch (thrown) {
      if (isPassing(thrown) || batch.length === 1) return fail(batch, thrown, writer, isRetry);
      // The data of some job is invalid; the other jobs must still be stored.
      const half = Math.ceil(batch.length / 2);
      await commit(batch.slice(0, half), writer, isRetry);
      await commit(batch.slice(half), writer, isRetry);
      return;
    }
    options.onCommit?.(performance.now() - startedAtMs);
    const rejected: { waiting: Waiting<Job, Answer>; reason: unknown }[] = [];
    for (const [index, waiting] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome?.status === "fulfilled") answer(waiting, () => waiting.resolve(outcome.value));
      else rejected.push({ waiting, reason: outcome?.reason });
    }
    for (const [reason, failed] of Map.groupBy(rejected, (one) => one.reason)) {
      const waiters = failed.map(({ waiting }) => waiting);
      await fail(waiters, reason, writer, isRetry);
    }
  }

  /** Retries jobs once after a transient failure, then rejects them. */
  async function fail(
    batch: readonly Waiting<Job, Answer>[],
    reason: unknown,
    writer: number,
    isRetry: boolean,
  ): Promise<void> {
    if (isPassing(reason) && !isRetry) {
      await options.sleep(retryDelayMs);
      return commit(batch, writer, true);
    }
    for (const waiting of batch) {
      const error = isPassing(reason)
        ? new AppError("store_unavailable", "Trace storage is unavailable - the span was not stored; retry.", {
            cause: reason,
          })
        : reason;
      answer(waiting, () => waiting.reject(error));
    }
  }

  function answer(waiting: Waiting<Job, Answer>, settle: () => void): void {
    onAnswer(waiting);
    settle();
  }

  return (batch, writer) => commit(batch, writer, false);
}

function isPassing(thrown: unknown): boolean {
  return isAppError(thrown) && thrown.code === "store_unavailable";
}
