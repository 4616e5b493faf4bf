import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@touchstone/service-kit";
import type { Batch } from "./candidate.ts";
import { type ScoringDependencies, type SettledResult, scoreBatch } from "./score-batch.ts";

/** The batches that this process is scoring. */
export interface BatchScorer {
  /** {@link scoreBatch}; an empty batch returns at once. Throws `service_unavailable` when too many are in progress. */
  score(batch: Batch): Promise<Map<string, SettledResult>>;
  /** Gives batches in progress `graceMs` to finish, then aborts them and releases their claims for a retry. */
  stop(graceMs: number): Promise<void>;
}

/** Concurrent batches per process: each keeps its outputs in memory until the judges have answered. */
const defaultBatchesMax = 500;

export function createBatchScorer(
  dependencies: ScoringDependencies,
  batchesMax: number = defaultBatchesMax,
): BatchScorer {
  const stopping = new AbortController();
  const inHand = new Set<Promise<unknown>>();

  return {
    async score(batch) {
      if (batch.results.length === 0) return new Map();
      if (inHand.size >= batchesMax) {
        throw new AppError("service_unavailable", "Too many batches are being scored at the moment; retry.");
      }
      const scoring = scoreBatch(dependencies, batch, stopping.signal);
      const ended = scoring.then(
        () => undefined,
        () => undefined,
      );
      inHand.add(ended);
      void ended.then(() => inHand.delete(ended));
      return scoring;
    },
    async stop(graceMs) {
      const allEnded = Promise.all(inHand);
      await Promise.race([allEnded, sleep(graceMs, undefined, { ref: false })]);
      stopping.abort(new AppError("service_unavailable", "The service is stopping; retry."));
      await allEnded;
    },
  };
}
