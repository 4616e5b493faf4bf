import type { Database, Transaction } from "@touchstone/db";
import type { RootFilter } from "../../model/root-filter.ts";
import { firstIdOf } from "../reading/root-conditions.ts";
import { buildRootSeeds, buildRowRemoval, buildVerdictRemoval } from "./trace-removal.ts";
import { settleTraces, tracesLock } from "./trace-settling.ts";

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
 * transaction removes some thousand rows completely, so totals are always exact. Agents are kept. The rows that the
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

/** A removal in progress. */
interface RunningRemoval extends Removal {
  /** Called in each transaction with its removed rows. */
  say(transaction: Transaction, removed: Removed): Promise<void>;
  /** Counts the removed rows of a transaction. */
  add(removed: Removed): void;
}

interface Removed {
  spans: number;
  roots: number;
}

interface Seed {
  id: string;
  trace_key: string | null;
  span_id: string | null;
  is_otlp: boolean;
}

/** Rows in one transaction. */
const batchRows = 2_000;
/** Roots in one lookup. */
const seedsMax = 100;

export function createTraceRemover(database: Database): TraceRemover {
  /** Sums the results of several transactions. */
  function startRemoval(say?: SayRemoval): RunningRemoval {
    return {
      traces: 0,
      spans: 0,
      isComplete: true,
      async say(transaction, { spans }) {
        if (this.spans === 0 && spans > 0) await say?.(transaction);
      },
      add({ spans, roots }) {
        this.traces += roots;
        this.spans += spans;
      },
    };
  }

  async function removeRows(transaction: Transaction, projectId: string, ids: readonly string[]) {
    const [{ rows }] = await transaction.pipeline<[{ spans: number; roots: number }, object]>([
      buildRowRemoval(projectId, ids),
      buildVerdictRemoval(projectId, ids),
    ]);
    return rows[0] ?? { spans: 0, roots: 0 };
  }

  async function removeOtelTraces(
    projectId: string,
    seeds: readonly Seed[],
    total: RunningRemoval,
    mayGoOn: () => boolean,
  ): Promise<void> {
    const traceKeys = [...new Set(seeds.map(({ trace_key }) => trace_key).filter((key) => key !== null))];
    const seedIds = seeds.map(({ id }) => id);
    for (let isDone = traceKeys.length === 0; !isDone; ) {
      if (!mayGoOn()) {
        total.isComplete = false;
        return;
      }
      await database.scoped([projectId], async (transaction) => {
        const [, { rows }] = await transaction.pipeline<[object, { id: string }]>([
          tracesLock(projectId, traceKeys),
          {
            name: "trace_rows_to_remove",
            text: `
              select id
              from ingest.spans
              where project_id = $1 and trace_key = any($2::uuid[]) and flags & 1 <> 0 and id <> all($3::uuid[])
              limit $4`,
            values: [projectId, traceKeys, seedIds, batchRows],
          },
        ]);
        isDone = rows.length < batchRows;
        const ids = rows.map(({ id }) => id);
        const removed = await removeRows(transaction, projectId, isDone ? [...ids, ...seedIds] : ids);
        await settleTraces(transaction, projectId, traceKeys);
        await total.say(transaction, removed);
        total.add(removed);
      });
    }
  }

  /**
   * Removes REST spans and their descendants, the deepest first. One that arrives in between is left without a parent.
   */
  async function removeRestTrees(
    projectId: string,
    seeds: readonly Seed[],
    total: RunningRemoval,
    mayGoOn: () => boolean,
  ): Promise<void> {
    const ids = seeds.map(({ id }) => id);
    const known = new Set(ids);
    let parents = seeds.map(({ span_id }) => span_id).filter((spanId) => spanId !== null);
    while (parents.length > 0) {
      const { rows } = await database.readScoped<{ id: string; span_id: string | null }>([projectId], {
        name: "rest_children",
        text: `
          select id, span_id
          from ingest.spans
          where project_id = $1 and parent_span_id = any($2::text[]) and flags & 1 = 0`,
        values: [projectId, parents],
      });
      const found = rows.filter(({ id }) => !known.has(id));
      for (const { id } of found) {
        known.add(id);
        ids.push(id);
      }
      parents = found.map(({ span_id }) => span_id).filter((spanId) => spanId !== null);
    }
    for (let end = ids.length; end > 0; end -= batchRows) {
      if (!mayGoOn()) {
        total.isComplete = false;
        return;
      }
      const part = ids.slice(Math.max(0, end - batchRows), end);
      const removed = await database.scoped([projectId], async (transaction) => {
        const gone = await removeRows(transaction, projectId, part);
        await total.say(transaction, gone);
        return gone;
      });
      total.add(removed);
    }
  }

  async function removeSeeds(
    projectId: string,
    seeds: readonly Seed[],
    total: RunningRemoval,
    mayGoOn: () => boolean,
  ): Promise<void> {
    const { otel = [], rest = [] } = Object.groupBy(seeds, ({ is_otlp }) => (is_otlp ? "otel" : "rest"));
    await removeOtelTraces(projectId, otel, total, mayGoOn);
    await removeRestTrees(projectId, rest, total, mayGoOn);
  }

  return {
    async removeTrace(projectId, id, mayGoOn, say) {
      const { rows: seeds } = await database.readScoped<Seed>([projectId], {
        name: "trace_to_remove",
        text: `
          select id, trace_key, span_id, flags & 1 <> 0 as is_otlp
          from ingest.spans
          where project_id = $1 and id = $2`,
        values: [projectId, id],
      });
      if (seeds.length === 0) return null;
      const total = startRemoval(say);
      await removeSeeds(projectId, seeds, total, mayGoOn);
      return total;
    },

    async removeTraces(projectId, filter, mayGoOn, say) {
      const total = startRemoval(say);
      for (;;) {
        const { rows: seeds } = await database.readScoped<Seed>(
          [projectId],
          buildRootSeeds(projectId, filter, seedsMax),
        );
        if (seeds.length === 0) return total;
        await removeSeeds(projectId, seeds, total, mayGoOn);
        if (!total.isComplete) return total;
      }
    },

    async removeSpansBefore(projectId, beforeMs, mayGoOn) {
      const total = startRemoval();
      for (;;) {
        if (!mayGoOn()) return Object.assign(total, { isComplete: false });
        const { rows } = await database.readScoped<{ id: string; trace_key: string | null }>([projectId], {
          name: "old_spans",
          text: `
            select id, trace_key
            from ingest.spans
            where project_id = $1 and id < $2
            limit $3`,
          values: [projectId, firstIdOf(beforeMs), batchRows],
        });
        if (rows.length === 0) return total;
        const traceKeys = [...new Set(rows.map(({ trace_key }) => trace_key).filter((key) => key !== null))];
        const ids = rows.map(({ id }) => id);
        await database.scoped([projectId], async (transaction) => {
          await transaction.query(tracesLock(projectId, traceKeys));
          total.add(await removeRows(transaction, projectId, ids));
          await settleTraces(transaction, projectId, traceKeys);
        });
      }
    },
  };
}
