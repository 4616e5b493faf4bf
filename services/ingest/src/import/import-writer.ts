import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, isAppError } from "@touchstone/service-kit";
import type { StoredSpan } from "../model/read-span.ts";
import type { IncomingSpan } from "../model/span.ts";
import type { SpanJob, SpanRow } from "../model/span-row.ts";
import type { GroupCommit } from "../recording/group-commit.ts";
import type { IngestMetrics } from "../recording/ingest-metrics.ts";
import { prepareSpans } from "../recording/prepare-span.ts";
import type { ImportCounter } from "./import-tally.ts";
import type { FindStoredSpans } from "./stored-span-finder.ts";

/** A span of an import and where it stands. */
export interface ImportedSpan {
  line: number;
  span: IncomingSpan;
}

/** Writes spans of imports in large jobs, one at a time for each import. */
export interface ImportWriter {
  /**
   * Resolves when each of these spans is committed, known or refused, and counted. Rejects with `queue_full`,
   * `trace_quota_spent` or `store_unavailable` when the import cannot go on; what was counted stays done.
   */
  write(projectId: string, spans: readonly ImportedSpan[], counter: ImportCounter): Promise<void>;
}

export interface ImportWriterOptions {
  commits: GroupCommit<SpanJob, StoredSpan[]>;
  findStored: FindStoredSpans;
  clock: Clock;
  fieldCharsMax: number | null;
  metrics: IngestMetrics;
}

/** A full queue is a matter of moments, and an import has time: it waits before it gives up. */
const queueWaitMs = 250;
const queueWaitsMax = 20;

type Placed = { line: number; row: SpanRow };

export function createImportWriter(options: ImportWriterOptions): ImportWriter {
  const { commits, findStored, clock, fieldCharsMax, metrics } = options;

  /**
   * The rows that are not there yet. Told beforehand, not from what became of the insert: a row without an identity that
   * meets its own id is passed over in silence, and an id that belongs to another span is a mistake to report.
   */
  async function selectNew(projectId: string, placed: readonly Placed[], counter: ImportCounter): Promise<Placed[]> {
    const stored = await findStored(
      projectId,
      placed.map(({ row }) => row),
    );
    const identityById = new Map(stored.identityById);
    return placed.filter(({ line, row }) => {
      const holder = identityById.get(row.id);
      if (holder !== undefined && holder !== row.dk) {
        counter.rejected(line, "id belongs to another span");
        return false;
      }
      if (holder !== undefined || (row.dk !== null && stored.identities.has(row.dk))) {
        counter.replayed(1);
        return false;
      }
      identityById.set(row.id, row.dk);
      return true;
    });
  }

  /** `bytes`: of all rows prepared, which is enough for the bounds of the queue. */
  async function commit(
    { projectId, bytes }: { projectId: string; bytes: number },
    placed: readonly Placed[],
    counter: ImportCounter,
  ): Promise<void> {
    const rows = placed.map(({ row }) => row);
    let answers: StoredSpan[];
    try {
      answers = await submitPatiently({ projectId, rows, bytes, isBulk: true });
    } catch (thrown) {
      if (isAppError(thrown)) throw thrown;
      // The store refuses the data of some row; its neighbours must not suffer for it.
      const [only] = placed;
      if (placed.length === 1 && only !== undefined) return counter.rejected(only.line, "the store refuses this span");
      const half = Math.ceil(placed.length / 2);
      await commit({ projectId, bytes }, placed.slice(0, half), counter);
      return commit({ projectId, bytes }, placed.slice(half), counter);
    }
    metrics.stored(answers);
    const replayed = answers.filter(({ deduped }) => deduped).length;
    counter.replayed(replayed);
    counter.stored(answers.length - replayed);
  }

  async function submitPatiently(job: SpanJob): Promise<StoredSpan[]> {
    for (let waits = 0; ; waits += 1) {
      try {
        return await commits.submit(job);
      } catch (thrown) {
        if (!isAppError(thrown) || thrown.code !== "queue_full" || waits === queueWaitsMax) throw thrown;
        await sleep(queueWaitMs);
      }
    }
  }

  return {
    async write(projectId, spans, counter) {
      const context = { projectId, nowMs: clock.now(), fieldCharsMax, agentId: null, monitor: false, patternIds: null };
      const { rows, bytes } = await prepareSpans(
        spans.map(({ span }) => span),
        context,
      );
      // Nothing is asked of monitoring, so nothing has to settle.
      const placed = rows.map((row, index) => ({ row: { ...row, settled: null }, line: spans[index]?.line ?? 0 }));
      const fresh = await selectNew(projectId, placed, counter);
      if (fresh.length > 0) await commit({ projectId, bytes }, fresh, counter);
    },
  };
}
