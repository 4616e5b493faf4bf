import { type Database, type Queryable, type Statement, sqlStateOf } from "@touchstone/db";
import { AppError } from "@touchstone/service-kit";
import { type AssemblySettings, assemblySettings } from "../../assembly/assembly-settings.ts";
import type { StoredSpan } from "../../model/read-span.ts";
import { otlpFlag, type ProjectRow, type SpanJob } from "../../model/span-row.ts";
import { startOf } from "../../model/span-update.ts";
import type { SearchBlockStore } from "../../search/search-block-store.ts";
import type { SpanPartitionStore } from "../span-partition-store.ts";
import type { SpanIdentity, TraceStore } from "../trace-store.ts";
import { forgetLostIdentities } from "./lost-identities.ts";
import { createRecentTraces } from "./recent-traces.ts";
import { buildSpanInsert } from "./span-insert.ts";
import { splitRows } from "./split-rows.ts";
import { tracesKnown } from "./trace-read.ts";
import type { AssembleSpan } from "./update-write.ts";
import { type Holders, type WriteContext, writeTraces } from "./write-traces.ts";

/** Identities in one lookup statement. */
const lookupRowsMax = 2000;
/** Writers of one process; each has its own shard of the counters. */
const writersMax = 3;
/** Processes that count on separate shards; further ones share. */
const processShards = 8;

/** An export up to this size may be assumed to consist of new traces: a wrong guess costs preparing it again. */
const recentRowsMax = 1024;

/** No partition accepts the row. */
const noPartition = "23514";

export interface BatchWriterOptions {
  /** Writes, and the reads of writers; one connection for each writer. */
  writing: Database;
  partitions: SpanPartitionStore;
  blocks: Pick<SearchBlockStore, "makePieces">;
  /** Any number that identifies this process. */
  processNumber: number;
  /** Root traces a project may store on one UTC day; null = unlimited. */
  tracesPerDay: number | null;
  /** Makes the row of a span from its updates. */
  assembleSpan: AssembleSpan;
  trees?: AssemblySettings;
}

/** The row that holds an identity. */
interface Holder {
  id: string;
  agentId: string | null;
}

/** The result for rows: the holders of those whose trace was read, and the ids of those that were not stored. */
interface Written {
  holders: Holders;
  taken: readonly string[];
  /** Of the updates, in order. */
  answers: readonly StoredSpan[];
}

/** Stores batches of jobs, and finds the rows that hold identities. */
export function createBatchWriter(options: BatchWriterOptions): Pick<TraceStore, "insertBatch" | "findStored"> {
  const { writing, partitions, blocks, assembleSpan, trees = assemblySettings } = options;
  const firstShard = (options.processNumber % processShards) * writersMax;
  const recent = createRecentTraces();

  /** Writes, and creates missing partitions. */
  async function makingRoom<Result>(times: () => readonly number[], write: () => Promise<Result>): Promise<Result> {
    try {
      return await write();
    } catch (thrown) {
      if (sqlStateOf(thrown) !== noPartition) throw thrown;
      // Backfilled data of a week without a partition, or more searched text than there are pieces for.
      await partitions.makeFor(times());
      await blocks.makePieces();
      return write();
    }
  }

  /** Commits all jobs, or nothing. */
  async function write(jobs: readonly SpanJob[], rows: readonly ProjectRow[], writer: number): Promise<Written> {
    const fragments = jobs.flatMap((job) =>
      (job.fragments ?? []).map((fragment) => ({ projectId: job.projectId, fragment })),
    );
    const context = { shard: firstShard + writer, quota: options.tracesPerDay, settings: trees };
    const updates = jobs.flatMap((job) => (job.updates ?? []).map((update) => ({ projectId: job.projectId, update })));
    const readsFirst = fragments.length > 0 || updates.length > 0;
    const hasTrees = readsFirst || rows.some(({ row }) => (row.flags & otlpFlag) !== 0);
    if (!hasTrees)
      return makingRoom(
        () => rows.map(({ row }) => row.createdAtMs),
        () => insertAlone(writing, rows, context),
      );
    const projects = [...new Set(jobs.map(({ projectId }) => projectId))];
    const writeWith = (areNew: boolean): Promise<Written> =>
      makingRoom(
        () => [...rows.map(({ row }) => row.createdAtMs), ...updates.map(({ update }) => startOf(update))],
        () =>
          writing.scoped(projects, (transaction) =>
            writeTraces(transaction, { rows, fragments, updates }, { ...context, areNew, assembleSpan }),
          ),
      );
    if (readsFirst || rows.length > recentRowsMax || !recent.areNew(rows)) return writeWith(false);
    try {
      return await writeWith(true);
    } catch (thrown) {
      if (sqlStateOf(thrown) !== tracesKnown) throw thrown;
      return writeWith(false);
    }
  }

  return {
    findStored: (identities) => findStored(writing, identities),

    async insertBatch(jobs, writer) {
      const rows = jobs.flatMap(({ projectId, rows: own }) => own.map((row) => ({ projectId, row })));
      const written = await write(jobs, rows, writer);
      const taken = new Set(written.taken);
      for (const [id, holder] of written.holders) if (holder === null) taken.add(id);
      const replays = rows.filter(({ row }) => taken.has(row.id));
      const { first, failure } = await findFirst(writing, replays);
      const holderOf = ({ projectId, row }: ProjectRow): Holder | undefined =>
        taken.has(row.id)
          ? first.get(`${projectId} ${row.dk}`)
          : (written.holders.get(row.id) ?? { id: row.id, agentId: row.agentId });
      return answerJobs(jobs, { holderOf, failure, ofUpdates: written.answers });
    },
  };
}

/** Rows that depend on no others: one statement if they fit into one. */
async function insertAlone(writing: Database, rows: readonly ProjectRow[], context: WriteContext): Promise<Written> {
  const { shard, quota, settings } = context;
  const statements = splitRows(rows).map((part) =>
    buildSpanInsert(part, { shard, quota, orphanGraceMs: settings.orphanGraceMs }),
  );
  const [only, ...more] = statements;
  if (only === undefined) return { holders: new Map(), taken: [], answers: [] };
  const insertIn = async (target: Queryable): Promise<string[]> => {
    const taken: string[] = [];
    for (const statement of statements) {
      const result = await target.query<{ id: string }>(statement);
      taken.push(...result.rows.map(({ id }) => id));
    }
    return taken;
  };
  const taken = await (more.length === 0 ? insertIn(writing) : writing.transaction(insertIn));
  return { holders: new Map(), taken, answers: [] };
}

/**
 * The rows that hold the identities of replays, by `project dk`, and why one may be missing. Never rejects: everything is
 * committed at this point, and a failure may cost a replay its answer, but no new span.
 */
async function findFirst(
  writing: Database,
  replays: readonly ProjectRow[],
): Promise<{ first: ReadonlyMap<string, Holder>; failure: unknown }> {
  let first = new Map<string, Holder>();
  try {
    first = await findStored(
      writing,
      replays.map(({ projectId, row: { dk } }) => ({ projectId, dk })),
    );
    const lost = replays.filter(({ projectId, row }) => !first.has(`${projectId} ${row.dk}`));
    await forgetLostIdentities(writing, lost);
  } catch (failure) {
    return { first, failure };
  }
  const removed = "The first span of this identity was just removed; retry.";
  return { first, failure: new AppError("store_unavailable", removed) };
}

/** A job is rejected with `failure` if the holder of one of its rows is unknown. `ofUpdates` are the answers of all updates. */
function answerJobs(
  jobs: readonly SpanJob[],
  found: {
    holderOf: (row: ProjectRow) => Holder | undefined;
    failure: unknown;
    ofUpdates: readonly StoredSpan[];
  },
): PromiseSettledResult<StoredSpan[]>[] {
  let answered = 0;
  return jobs.map(({ projectId, rows, updates }) => {
    const ofUpdates = found.ofUpdates.slice(answered, answered + (updates?.length ?? 0));
    answered += ofUpdates.length;
    const answers: StoredSpan[] = [];
    for (const row of rows) {
      const holder = found.holderOf({ projectId, row });
      if (holder === undefined) return { status: "rejected", reason: found.failure };
      // An earlier attempt whose answer was lost may have stored this row: then it is new, not a replay.
      answers.push({ ...holder, deduped: holder.id !== row.id });
    }
    return { status: "fulfilled", value: [...answers, ...ofUpdates] };
  });
}

async function findStored(writing: Database, identities: readonly SpanIdentity[]): Promise<Map<string, Holder>> {
  const found = new Map<string, Holder>();
  for (let start = 0; start < identities.length; start += lookupRowsMax) {
    const part = identities.slice(start, start + lookupRowsMax);
    const projects = [...new Set(part.map(({ projectId }) => projectId))];
    const { rows: records } = await writing.readScoped<FirstRecord>(projects, selectFirst(part));
    for (const record of records) {
      found.set(`${record.project_id} ${record.dk}`, { id: record.id, agentId: record.agent_id });
    }
  }
  return found;
}

interface FirstRecord {
  project_id: string;
  dk: string;
  id: string;
  agent_id: string | null;
}

/**
 * One row for each stored identity, in no order. (In a plain join, tables that were never analysed are joined on the
 * project alone.)
 */
const selectFirst = (identities: readonly SpanIdentity[]): Statement => ({
  name: "span_keys_find",
  text: `
    select keys.project_id, keys.dk, keys.id, spans.agent_id
    from unnest($1::uuid[], $2::uuid[]) as wanted (project_id, dk)
    join ingest.span_keys keys on keys.project_id = wanted.project_id and keys.dk = wanted.dk
    cross join lateral (
      select agent_id
      from ingest.spans
      where spans.project_id = keys.project_id and spans.id = keys.id
      limit 1
    ) spans`,
  values: [identities.map(({ projectId }) => projectId), identities.map(({ dk }) => dk)],
});
