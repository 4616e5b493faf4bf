import { type Database, type Queryable, sqlStateOf } from "@touchstone/db";
import { AppError } from "@touchstone/service-kit";
import { keepWithinQuota, type TraceQuota } from "../quota/keep-within-quota.ts";
import { createUsageStore } from "../quota/usage-store.ts";
import { toUuid } from "./hash-uuid.ts";
import { buildSpanInsert, type ProjectRow } from "./span-insert.ts";
import type { SpanPartitionStore } from "./span-partition-store.ts";
import { buildRootList, buildSessionList, buildTraceRead, type SpanRecord, toReadSpan } from "./span-select.ts";
import type { StoredSpan, TraceStore } from "./trace-store.ts";

/** A job up to this size is one statement; a larger one is several statements of one transaction. */
const statementRowsMax = 1024;
const statementBytesMax = 8 * 1024 * 1024;
/** Identities looked up by one statement. */
const lookupRowsMax = 2000;
/** Writers of one process; each has a shard of the counters for itself. */
const writersMax = 3;
/** Processes that count on shards of their own; more of them share. */
const processShards = 8;

/** No partition holds the row. */
const noPartition = "23514";

interface FirstRecord {
  project_id: string;
  dk: string;
  id: string;
  agent_id: string | null;
}

export interface PostgresTraceStoreOptions {
  /** Writes; one connection for each writer. */
  writing: Database;
  reading: Database;
  partitions: SpanPartitionStore;
  /** Of this process, any number. */
  processNumber: number;
  /** Root traces a project may store on one UTC day; null = unlimited. */
  quota: TraceQuota | null;
}

/** Keeps {@link TraceStore} in the schema `ingest`, under the app role. */
export function createPostgresTraceStore(options: PostgresTraceStoreOptions): TraceStore {
  const { writing, reading, partitions } = options;
  const firstShard = (options.processNumber % processShards) * writersMax;

  /** Answers the ids that were not stored, because their identity was there before. */
  async function insertRows(rows: readonly ProjectRow[], writer: number): Promise<Set<string>> {
    const parts = splitRows(rows);
    const insertPart = async (target: Queryable, part: readonly ProjectRow[]): Promise<string[]> => {
      const result = await target.query<{ id: string }>(
        buildSpanInsert(part, { shard: firstShard + writer, quota: options.quota?.tracesPerDay ?? null }),
      );
      return result.rows.map(({ id }) => id);
    };
    const insertAll = async (): Promise<string[]> => {
      const [only = [], ...more] = parts;
      if (more.length === 0) return insertPart(writing, only);
      return writing.transaction(async (transaction) => {
        const taken: string[] = [];
        for (const part of parts) taken.push(...(await insertPart(transaction, part)));
        return taken;
      });
    };
    try {
      return new Set(await insertAll());
    } catch (thrown) {
      if (sqlStateOf(thrown) !== noPartition) throw thrown;
      // Backfilled traffic of a week that nobody has written to yet.
      await partitions.makeFor(rows.map(({ row }) => row.createdAtMs));
      return new Set(await insertAll());
    }
  }

  /** The rows that hold these identities, by `project dk`. A snapshot of its own: it sees who was first. */
  async function findFirst(rows: readonly ProjectRow[]): Promise<Map<string, { id: string; agentId: string | null }>> {
    const found = new Map<string, { id: string; agentId: string | null }>();
    for (let start = 0; start < rows.length; start += lookupRowsMax) {
      const part = rows.slice(start, start + lookupRowsMax);
      const projects = [...new Set(part.map(({ projectId }) => projectId))];
      const { rows: records } = await reading.readScoped<FirstRecord>(projects, {
        // One row for each identity that is still stored, in no order.
        name: "span_keys_find",
        text: `
          select keys.project_id, keys.dk, keys.id, spans.agent_id
          from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, dk)
          join ingest.span_keys keys on keys.project_id = wanted.project_id and keys.dk = wanted.dk
          join ingest.spans on spans.project_id = keys.project_id and spans.id = keys.id`,
        values: [part.map(({ projectId }) => projectId), part.map(({ row }) => row.dk)],
      });
      for (const record of records) {
        found.set(`${record.project_id} ${record.dk}`, { id: record.id, agentId: record.agent_id });
      }
    }
    return found;
  }

  const store: TraceStore = {
    async insertBatch(jobs, writer) {
      const rows = jobs.flatMap(({ projectId, rows: own }) => own.map((row) => ({ projectId, row })));
      const taken = await insertRows(rows, writer);
      // From here on everything is committed: a failure below may cost a replay its answer, but no new span.
      let first = new Map<string, { id: string; agentId: string | null }>();
      let failure: unknown = new AppError(
        "store_unavailable",
        "The first span of this identity was just removed; retry.",
      );
      if (taken.size > 0) {
        try {
          first = await findFirst(rows.filter(({ row }) => taken.has(row.id)));
        } catch (thrown) {
          failure = thrown;
        }
      }
      return jobs.map((job) => {
        const answers: StoredSpan[] = [];
        for (const row of job.rows) {
          const holder = taken.has(row.id)
            ? first.get(`${job.projectId} ${row.dk}`)
            : { id: row.id, agentId: row.agentId };
          if (holder === undefined) return { status: "rejected", reason: failure };
          // An earlier try whose answer was lost may have stored this very row: then it is new, not a replay.
          answers.push({ ...holder, deduped: holder.id !== row.id });
        }
        return { status: "fulfilled", value: answers };
      });
    },

    async listRoots(query) {
      const { rows } = await reading.readScoped<SpanRecord & { total: string }>(
        [query.projectId],
        buildRootList(query),
      );
      // Without any span there is still one row: the total.
      const records = rows.filter((row) => row.id !== null);
      return {
        spans: records.slice(0, query.limit).map(toReadSpan),
        hasNextPage: records.length > query.limit,
        totalCount: Number(rows[0]?.total ?? 0),
      };
    },

    async readTrace(projectId, id) {
      const { rows } = await reading.readScoped<SpanRecord>([projectId], buildTraceRead(projectId, id));
      return rows[0] === undefined ? null : toReadSpan(rows[0]);
    },

    async listSessionSpans(projectId, sessionId) {
      const traceKey = /^[0-9a-f]{32}$/i.test(sessionId) ? toUuid(sessionId.toLowerCase()) : null;
      const { rows } = await reading.readScoped<SpanRecord>(
        [projectId],
        buildSessionList(projectId, sessionId, traceKey),
      );
      return rows.map(toReadSpan);
    },
  };
  const { quota } = options;
  if (quota === null) return store;
  const insertBatch = keepWithinQuota(store.insertBatch, quota, {
    readUsage: createUsageStore(reading).readToday,
    async findReplays(rows) {
      const first = await findFirst(rows);
      return new Set(rows.filter(({ projectId, row }) => first.has(`${projectId} ${row.dk}`)).map(({ row }) => row));
    },
  });
  return { ...store, insertBatch };
}

/** The rows in order, in parts that one statement takes. */
function splitRows(rows: readonly ProjectRow[]): ProjectRow[][] {
  const parts: ProjectRow[][] = [];
  let part: ProjectRow[] = [];
  let bytes = 0;
  for (const item of rows) {
    const size = item.row.body.length;
    if (part.length > 0 && (part.length >= statementRowsMax || bytes + size > statementBytesMax)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
