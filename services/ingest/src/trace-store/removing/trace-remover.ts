import { setTimeout as wait } from "node:timers/promises";
import { createBatchPace, type Database, type Statement, type Transaction } from "@touchstone/db";
import type { RootFilter } from "../../model/root-filter.ts";
import { firstIdOf } from "../reading/root-conditions.ts";
import { buildLateRemoval, buildRootSeeds, buildRowRemoval } from "./trace-removal.ts";
import { settleTraces, traceKeysOf, tracesLock } from "./trace-settling.ts";

/** Removes the traces that a list with this filter shows. */
export type RemovalFilter = Omit<RootFilter, "pattern">;

/** Called in the first transaction that removes something, so that both commit together. */
export type SayRemoval = (transaction: Transaction) => Promise<void>;

/** The result of a removal. */
export interface Removal {
  /** Root spans. */
  traces: number;
  /** All spans, including roots. */
  spans: number;
  /** False if it was stopped early; another call continues. */
  isComplete: boolean;
}

/**
 * Removes spans with their dependent rows: identity, count, search text, log records, and data of their trace. Each
 * transaction removes some rows completely, so totals are always exact. Agents are kept. The rows that the
 * caller named are removed last: an interrupted removal can be repeated under the same id.
 */
export interface TraceRemover {
  /**
   * Removes the whole trace of a span: an OTel trace with all its spans, or a REST span with its descendants. Null if
   * the project has no such span.
   */
  removeTrace(projectId: string, id: string, mayGoOn: () => boolean, say?: SayRemoval): Promise<Removal | null>;
  /** Removes the traces with a matching root. */
  removeTraces(projectId: string, filter: RemovalFilter, mayGoOn: () => boolean, say?: SayRemoval): Promise<Removal>;
  /** Removes single spans created before an instant whose trace is not old as a whole. */
  removeSpansBefore(projectId: string, beforeMs: number, mayGoOn: () => boolean): Promise<Removal>;
}

/** Rows in one transaction. */
const batchRows = { rowsFirst: 50, rowsMax: 2_000 };
/** Roots in one lookup. */
const seedsMax = 100;

export function createTraceRemover(database: Database): TraceRemover {
  return {
    async removeTrace(projectId, id, mayGoOn, say) {
      const { rows: seeds } = await database.readScoped<Seed>([projectId], selectSeed(projectId, id));
      if (seeds.length === 0) return null;
      const removal = startRemoval(mayGoOn, say);
      await removeSeeds(database, projectId, seeds, removal);
      return removal;
    },

    async removeTraces(projectId, filter, mayGoOn, say) {
      const removal = startRemoval(mayGoOn, say);
      for (;;) {
        const { rows: seeds } = await database.readScoped<Seed>(
          [projectId],
          buildRootSeeds(projectId, filter, Math.min(removal.batchRows(), seedsMax)),
        );
        if (seeds.length === 0) return removal;
        await removeSeeds(database, projectId, seeds, removal);
        if (!removal.isComplete) return removal;
      }
    },

    async removeSpansBefore(projectId, beforeMs, mayGoOn) {
      const removal = startRemoval(mayGoOn);
      while (removal.goesOn()) {
        const { rows } = await database.readScoped<{ id: string; trace_key: string | null }>(
          [projectId],
          selectOldSpans(projectId, beforeMs, removal.batchRows()),
        );
        if (rows.length === 0) break;
        const traceKeys = traceKeysOf(rows);
        const ids = rows.map(({ id }) => id);
        await removal.takeBatch(() =>
          database.scoped([projectId], async (transaction) => {
            await transaction.query(tracesLock(projectId, traceKeys));
            removal.add(await removeRows(transaction, projectId, ids));
            await settleTraces(transaction, projectId, traceKeys);
          }),
        );
      }
      return removal;
    },
  };
}

/** A removal in progress: sums the results of several transactions. */
interface RunningRemoval extends Removal {
  /** Asks before each transaction. False if the removal has to stop early: then it is not complete. */
  goesOn(): boolean;
  /** The number of rows that the next batch may have. */
  batchRows(): number;
  /** Runs a batch, after the pause that the one before it calls for. */
  takeBatch(work: () => Promise<void>): Promise<void>;
  /** Called in each transaction with its removed rows. */
  say(transaction: Transaction, removed: Removed): Promise<void>;
  /** Counts the removed rows of a transaction. */
  add(removed: Removed): void;
}

interface Removed {
  spans: number;
  roots: number;
}

function startRemoval(mayGoOn: () => boolean, say?: SayRemoval): RunningRemoval {
  const pace = createBatchPace(batchRows);
  let pauseMs = 0;
  return {
    traces: 0,
    spans: 0,
    isComplete: true,
    goesOn() {
      const goesOn = mayGoOn();
      if (!goesOn) this.isComplete = false;
      return goesOn;
    },
    batchRows: pace.rows,
    async takeBatch(work) {
      if (pauseMs > 0) await wait(pauseMs);
      const startedMs = performance.now();
      await work();
      pauseMs = pace.record(performance.now() - startedMs);
    },
    async say(transaction, { spans }) {
      if (this.spans === 0 && spans > 0) await say?.(transaction);
    },
    add({ spans, roots }) {
      this.traces += roots;
      this.spans += spans;
    },
  };
}

/** A row whose whole trace is removed. */
interface Seed {
  id: string;
  trace_key: string | null;
  span_id: string | null;
  is_otlp: boolean;
}

async function removeSeeds(
  database: Database,
  projectId: string,
  seeds: readonly Seed[],
  removal: RunningRemoval,
): Promise<void> {
  const { otel = [], rest = [] } = Object.groupBy(seeds, ({ is_otlp }) => (is_otlp ? "otel" : "rest"));
  await removeOtelTraces(database, projectId, otel, removal);
  await removeRestTrees(database, projectId, rest, removal);
}

async function removeOtelTraces(
  database: Database,
  projectId: string,
  seeds: readonly Seed[],
  removal: RunningRemoval,
): Promise<void> {
  const traceKeys = traceKeysOf(seeds);
  const seedIds = seeds.map(({ id }) => id);
  for (let isDone = traceKeys.length === 0; !isDone; ) {
    if (!removal.goesOn()) return;
    const rowsMax = removal.batchRows();
    await removal.takeBatch(() =>
      database.scoped([projectId], async (transaction) => {
        const [, { rows }] = await transaction.pipeline<[object, { id: string }]>([
          tracesLock(projectId, traceKeys),
          selectTraceRows(projectId, traceKeys, { except: seedIds, rowsMax }),
        ]);
        isDone = rows.length < rowsMax;
        const ids = rows.map(({ id }) => id);
        const removed = await removeRows(transaction, projectId, isDone ? [...ids, ...seedIds] : ids);
        await settleTraces(transaction, projectId, traceKeys);
        await removal.say(transaction, removed);
        removal.add(removed);
      }),
    );
  }
}

/** Removes REST spans and their descendants, the deepest first. One that arrives in between is left without a parent. */
async function removeRestTrees(
  database: Database,
  projectId: string,
  seeds: readonly Seed[],
  removal: RunningRemoval,
): Promise<void> {
  const ids = await findRestTrees(database, projectId, seeds);
  while (ids.length > 0) {
    if (!removal.goesOn()) return;
    const part = ids.splice(-removal.batchRows());
    await removal.takeBatch(() =>
      database.scoped([projectId], async (transaction) => {
        const removed = await removeRows(transaction, projectId, part);
        await removal.say(transaction, removed);
        removal.add(removed);
      }),
    );
  }
}

/** The ids of REST spans and their descendants, the deepest last. */
async function findRestTrees(database: Database, projectId: string, seeds: readonly Seed[]): Promise<string[]> {
  const ids = seeds.map(({ id }) => id);
  const known = new Set(ids);
  let parents = seeds.map(({ span_id }) => span_id).filter((spanId) => spanId !== null);
  while (parents.length > 0) {
    const { rows } = await database.readScoped<{ id: string; span_id: string | null }>(
      [projectId],
      selectRestChildren(projectId, parents),
    );
    const found = rows.filter(({ id }) => !known.has(id));
    for (const { id } of found) {
      known.add(id);
      ids.push(id);
    }
    parents = found.map(({ span_id }) => span_id).filter((spanId) => spanId !== null);
  }
  return ids;
}

async function removeRows(transaction: Transaction, projectId: string, ids: readonly string[]): Promise<Removed> {
  const [{ rows }] = await transaction.pipeline<[{ spans: number; roots: number }, object]>([
    buildRowRemoval(projectId, ids),
    buildLateRemoval(projectId, ids),
  ]);
  return rows[0] ?? { spans: 0, roots: 0 };
}

const selectSeed = (projectId: string, id: string): Statement => ({
  name: "trace_to_remove",
  text: `
    select id, trace_key, span_id, flags & 1 <> 0 as is_otlp
    from ingest.spans
    where project_id = $1 and id = $2`,
  values: [projectId, id],
});

/** Rows of OTel traces other than the seeds. */
const selectTraceRows = (
  projectId: string,
  traceKeys: readonly string[],
  { except, rowsMax }: { except: readonly string[]; rowsMax: number },
): Statement => ({
  name: "trace_rows_to_remove",
  text: `
    select id
    from ingest.spans
    where project_id = $1 and trace_key = any($2::uuid[]) and flags & 1 <> 0 and id <> all($3::uuid[])
    limit $4`,
  values: [projectId, traceKeys, except, rowsMax],
});

const selectRestChildren = (projectId: string, parents: readonly string[]): Statement => ({
  name: "rest_children",
  text: `
    select id, span_id
    from ingest.spans
    where project_id = $1 and parent_span_id = any($2::text[]) and flags & 1 = 0`,
  values: [projectId, parents],
});

const selectOldSpans = (projectId: string, beforeMs: number, rowsMax: number): Statement => ({
  name: "old_spans",
  text: `
    select id, trace_key
    from ingest.spans
    where project_id = $1 and id < $2
    limit $3`,
  values: [projectId, firstIdOf(beforeMs), rowsMax],
});
