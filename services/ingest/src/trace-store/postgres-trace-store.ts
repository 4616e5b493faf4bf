import { type Database, type Queryable, type Statement, sqlStateOf } from "@touchstone/db";
import { AppError, isAppError } from "@touchstone/service-kit";
import { type AssemblySettings, assemblySettings } from "../assembly/assembly-settings.ts";
import { type ComposeLoader, composeSpans, ListChangedError } from "../assembly/compose.ts";
import { createListedBodies } from "../assembly/listed-bodies.ts";
import type { StoredSpan } from "../model/read-span.ts";
import { otlpFlag, type ProjectRow, type SpanJob } from "../model/span-row.ts";
import { startOf } from "../model/span-update.ts";
import type { SearchBlockStore } from "../search/search-block-store.ts";
import {
  buildCandidatesRead,
  type PostingsRecord,
  type SearchCandidates,
  toCandidates,
} from "../search/search-candidate-reader.ts";
import { createComposeLoader } from "./reading/compose-store.ts";
import { buildNamedRead, type NamedRecord } from "./reading/named-read.ts";
import { buildOutlineRead, type OutlineRecord, toOutlinedSpan } from "./reading/outline-read.ts";
import {
  buildRootExtent,
  buildRootHistogram,
  type RootCountRecord,
  type RootExtentRecord,
  toRootCounts,
} from "./reading/root-histogram.ts";
import { buildRootList, type ListedWhole, type RootRecord } from "./reading/root-list.ts";
import { createRootReader } from "./reading/root-reader.ts";
import { buildSessionPage, type SessionRecord } from "./reading/session-page.ts";
import { showRoots, toListedRoots } from "./reading/show-roots.ts";
import { buildTraceRead, type SpanRecord, toReadSpan } from "./reading/span-select.ts";
import { composeSlices, readSpanSlices } from "./reading/span-slices.ts";
import { readPlaces } from "./reading/subtree-places.ts";
import { createTraceRemover } from "./removing/trace-remover.ts";
import type { SpanPartitionStore } from "./span-partition-store.ts";
import type { SpanIdentity, TraceStore } from "./trace-store.ts";
import { forgetLostIdentities } from "./writing/lost-identities.ts";
import { createRecentTraces } from "./writing/recent-traces.ts";
import { buildSpanInsert } from "./writing/span-insert.ts";
import { splitRows } from "./writing/split-rows.ts";
import { tracesKnown } from "./writing/trace-read.ts";
import type { AssembleSpan } from "./writing/update-write.ts";
import { type Holders, type WriteContext, writeTraces } from "./writing/write-traces.ts";

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
const statementTimeout = "57014";

interface FirstRecord {
  project_id: string;
  dk: string;
  id: string;
  agent_id: string | null;
}

export interface PostgresTraceStoreOptions {
  /** Writes, and the reads of writers; one connection for each writer. */
  writing: Database;
  reading: Database;
  /** Reads with the timeout of a search. */
  searching: Database;
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

/** The result for rows: the holders of those whose trace was read, and the ids of those that were not stored. */
interface Written {
  holders: Holders;
  taken: readonly string[];
  /** Of the updates, in order. */
  answers: readonly StoredSpan[];
}

/** Stores {@link TraceStore} in the schema `ingest`, under the app role. */
export function createPostgresTraceStore(options: PostgresTraceStoreOptions): TraceStore {
  const { writing, reading, searching, partitions, blocks, assembleSpan, trees = assemblySettings } = options;
  const firstShard = (options.processNumber % processShards) * writersMax;

  const recent = createRecentTraces();
  const listed = createListedBodies();

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

  /**
   * Reads the candidates before the search runs. Whatever is stored or changed in between gets a number that the
   * search reads anyway. Null without a pattern.
   */
  async function findCandidates(query: {
    projectId: string;
    pattern: string | null;
  }): Promise<SearchCandidates | null> {
    const { projectId, pattern } = query;
    if (pattern === null) return null;
    const read = buildCandidatesRead(projectId, pattern);
    return toCandidates(read && (await searching.readScoped<PostingsRecord>([projectId], read)).rows);
  }

  /** Rows that depend on no others: one statement if they fit into one. */
  async function insertAlone(rows: readonly ProjectRow[], context: WriteContext): Promise<Written> {
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
        () => insertAlone(rows, context),
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

  async function findStored(
    identities: readonly SpanIdentity[],
  ): Promise<Map<string, { id: string; agentId: string | null }>> {
    const found = new Map<string, { id: string; agentId: string | null }>();
    for (let start = 0; start < identities.length; start += lookupRowsMax) {
      const part = identities.slice(start, start + lookupRowsMax);
      const projects = [...new Set(part.map(({ projectId }) => projectId))];
      const { rows: records } = await writing.readScoped<FirstRecord>(projects, {
        // One row for each stored identity, in no order. (In a plain join, tables that were never analysed are joined
        // on the project alone.)
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
        values: [part.map(({ projectId }) => projectId), part.map(({ dk }) => dk)],
      });
      for (const record of records) {
        found.set(`${record.project_id} ${record.dk}`, { id: record.id, agentId: record.agent_id });
      }
    }
    return found;
  }

  const loaderOf = (projectId: string): ComposeLoader =>
    createComposeLoader((statement) => reading.readScoped([projectId], statement), projectId);

  return {
    ...createTraceRemover(reading),
    ...createRootReader(reading),
    findStored,

    async insertBatch(jobs, writer) {
      const rows = jobs.flatMap(({ projectId, rows: own }) => own.map((row) => ({ projectId, row })));
      const written = await write(jobs, rows, writer);
      const { holders } = written;
      let answered = 0;
      const taken = new Set(written.taken);
      for (const [id, holder] of holders) if (holder === null) taken.add(id);
      // Everything is committed at this point: a failure below may cost a replay its answer, but no new span.
      let first = new Map<string, { id: string; agentId: string | null }>();
      let failure: unknown = new AppError(
        "store_unavailable",
        "The first span of this identity was just removed; retry.",
      );
      if (taken.size > 0) {
        try {
          const replays = rows.filter(({ row }) => taken.has(row.id));
          first = await findStored(replays.map(({ projectId, row: { dk } }) => ({ projectId, dk })));
          const lost = replays.filter(({ projectId, row }) => !first.has(`${projectId} ${row.dk}`));
          await forgetLostIdentities(writing, lost);
        } catch (thrown) {
          failure = thrown;
        }
      }
      return jobs.map((job) => {
        const ofUpdates = written.answers.slice(answered, answered + (job.updates?.length ?? 0));
        answered += ofUpdates.length;
        const answers: StoredSpan[] = [];
        for (const row of job.rows) {
          const holder = taken.has(row.id)
            ? first.get(`${job.projectId} ${row.dk}`)
            : (holders.get(row.id) ?? { id: row.id, agentId: row.agentId });
          if (holder === undefined) return { status: "rejected", reason: failure };
          // An earlier attempt whose answer was lost may have stored this row: then it is new, not a replay.
          answers.push({ ...holder, deduped: holder.id !== row.id });
        }
        return { status: "fulfilled", value: [...answers, ...ofUpdates] };
      });
    },

    async listRoots(query, showing) {
      const loader = loaderOf(query.projectId);
      const candidates = await findCandidates(query).catch(refuseLongSearch);
      const list = async (whole: ListedWhole) => {
        const database = candidates === null ? reading : searching;
        const found = await database
          .readScoped<RootRecord>([query.projectId], buildRootList(query, whole, candidates))
          .catch(refuseLongSearch);
        return showRoots(toListedRoots(found.rows, query.limit), { loader, listed, showing });
      };
      try {
        return await list("short");
      } catch (thrown) {
        if (!(thrown instanceof ListChangedError)) throw thrown;
        // A root of the page was removed before its body was read: retry with the bodies in the page's snapshot.
        return list("all");
      }
    },

    async countRoots(query) {
      const candidates = await findCandidates(query).catch(refuseLongCount);
      const { rows } = await searching
        .readScoped<RootCountRecord>([query.projectId], buildRootHistogram(query, candidates))
        .catch(refuseLongCount);
      return toRootCounts(rows);
    },

    async readRootExtent(projectId) {
      const { rows } = await reading.readScoped<RootExtentRecord>([projectId], buildRootExtent(projectId));
      const { oldest = null, newest = null } = rows[0] ?? {};
      return oldest && newest && { oldestMs: oldest.getTime(), newestMs: newest.getTime() };
    },

    async readTrace(projectId, id) {
      const { rows } = await reading.readScoped<SpanRecord>([projectId], buildTraceRead(projectId, id));
      const [span] = await composeSpans(rows.map(toReadSpan), loaderOf(projectId), { metadata: true });
      return span ?? null;
    },

    async *listSessionSpans(projectId, sessionId) {
      let after: SessionRecord | null = null;
      do {
        const page: Statement = buildSessionPage(projectId, sessionId, after);
        const { rows } = await reading.readScoped<SessionRecord>([projectId], page);
        yield* composeSlices(rows, loaderOf(projectId), { metadata: true });
        after = rows.at(-1) ?? null;
      } while (after?.has_more);
    },

    async readSubtree(projectId, id, spansMax) {
      return (await readPlaces(reading, { projectId, id, spansMax }))?.places ?? null;
    },

    async readOutline(projectId, id, spansMax) {
      const found = await readPlaces(reading, { projectId, id, spansMax });
      if (found === null) return null;
      const ids = found.places.map((place) => place.id);
      const { rows } = await reading.readScoped<OutlineRecord>([projectId], buildOutlineRead(projectId, ids));
      const records = new Map(rows.map((row) => [row.id, row]));
      const [asked, ...others] = found.places.flatMap((place) => {
        const record = records.get(place.id);
        return record === undefined ? [] : [toOutlinedSpan(place, record)];
      });
      if (asked === undefined) return null;
      const spans = [asked, ...others.sort((one, other) => one.atMs - other.atMs)];
      return { spans, isDeeper: found.isDeeper };
    },

    async findNamed(projectId, named) {
      const { rows } = await reading.readScoped<NamedRecord>([projectId], buildNamedRead(projectId, named));
      return rows.map((row, index) => {
        const rootId = row.root_id ?? row.row_id;
        const spanRowId = named[index]?.spanId == null ? rootId : row.span_row_id;
        return rootId === null || spanRowId === null ? null : { rootId, spanRowId };
      });
    },

    async *readSpans(projectId, ids) {
      yield* readSpanSlices((statement) => reading.readScoped([projectId], statement), {
        projectId,
        ids,
        metadata: true,
      });
    },
  };
}

/** The list without a search has its own limits; only a search is cancelled for its time. */
const refuseLongSearch = refusingCancelled("The search took too long; search for a longer or rarer text.");
const refuseLongCount = refusingCancelled("Counting by time took too long; choose a shorter time.");

/** Explains how to avoid the cancellation of a statement that took too long. */
function refusingCancelled(message: string): (thrown: unknown) => never {
  return (thrown) => {
    const isCancelled = isAppError(thrown) && sqlStateOf(thrown.cause) === statementTimeout;
    throw isCancelled ? new AppError("service_unavailable", message, { cause: thrown }) : thrown;
  };
}
