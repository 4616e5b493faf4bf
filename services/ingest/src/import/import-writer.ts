import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, isAppError } from "@touchstone/service-kit";
import type { StoredSpan } from "../model/read-span.ts";
import type { IncomingSpan } from "../model/span.ts";
import type { SpanJob, SpanRow } from "../model/span-row.ts";
import type { GroupCommit } from "../recording/group-commit.ts";
import type { IngestMetrics } from "../recording/ingest-metrics.ts";
import { prepareSpans } from "../recording/prepare-span.ts";
import type { ImportCounter } from "./import-tally.ts";

/** A span of an import with its line. */
export interface ImportedSpan {
  line: number;
  span: IncomingSpan;
}

/** Writes imported spans in large jobs, one at a time for each import. */
export interface ImportWriter {
  /**
   * Resolves when all spans are committed, skipped or rejected, and counted. Rejects with `queue_full`,
   * `trace_quota_spent` or `store_unavailable` if the import cannot continue; what was counted is stored.
   */
  write(projectId: string, spans: readonly ImportedSpan[], counter: ImportCounter): Promise<void>;
}

/** The stored data about rows to be written. */
interface StoredSpans {
  /** `dk` of the stored row, by id. Null: a row without an identity. */
  identityById: ReadonlyMap<string, string | null>;
  identities: ReadonlySet<string>;
}

export interface ImportWriterOptions {
  commits: GroupCommit<SpanJob, StoredSpan[]>;
  findStored: (projectId: string, rows: readonly SpanRow[]) => Promise<StoredSpans>;
  clock: Clock;
  fieldCharsMax: number | null;
  metrics: IngestMetrics;
}

/** A full queue drains quickly and an import is not urgent: it waits before it fails. */
const queueWaitMs = 250;
const queueWaitsMax = 20;

type Placed = { line: number; row: SpanRow };

export function createImportWriter(options: ImportWriterOptions): ImportWriter {
  const { commits, findStored, clock, fieldCharsMax, metrics } = options;

  /**
   * The rows that are not stored yet. Checked before the insert, because its result does not tell enough: a row without
   * identity whose id exists is skipped silently, and an id of another span is an error to report.
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

  /** `bytes`: of all prepared rows, which is accurate enough for the queue's bounds. */
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
      // The store rejects the data of some row; the other rows must still be stored.
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
      // Imports are not monitored, so nothing has to settle.
      const placed = rows.map((row, index) => ({ row: { ...row, settled: null }, line: spans[index]?.line ?? 0 }));
      const fresh = await selectNew(projectId, placed, counter);
      if (fresh.length > 0) await commit({ projectId, bytes }, fresh, counter);
    },
  };
}
