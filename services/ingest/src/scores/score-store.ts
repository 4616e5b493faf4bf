import { canonicalTraceId, limits, type ScoreSource } from "@touchstone/contracts";
import { type Database, parameters, type Statement, selectPart } from "@touchstone/db";
import {
  createReadTurns,
  experimentRunId,
  type ListPage,
  type PartBounds,
  readListPage,
  type SizedRow,
  spanIdOf,
  traceIdOf,
} from "@touchstone/service-kit";
import {
  columns,
  type ScorePosition,
  type ScoreRecord,
  type SentScore,
  type StoredScore,
  toScore,
} from "./stored-score.ts";
import { createTargetScores, type TargetScores } from "./target-score-reader.ts";

/** A listed score, with its size in an answer. */
export type ListedScore = StoredScore & SizedRow;

/** The scores that match all members; null matches any. */
export interface ScoreFilter {
  name: string | null;
  source: ScoreSource | null;
  traceId: string | null;
  spanId: string | null;
  sessionId: string | null;
  runId: string | null;
  caseId: string | null;
  from: Date | null;
  to: Date | null;
}

export interface ScoreListQuery {
  filter: ScoreFilter;
  /** Null = from the newest. */
  after: ScorePosition | null;
  limit: number;
  makeRoom(bytes: number): Promise<void>;
}

export interface ScoreExportQuery {
  projectId: string;
  /** Epoch milliseconds of `createdAt`; null = all. */
  sinceMs: number | null;
}

/** The scores of a project (completions 2.9). */
export interface ScoreStore extends TargetScores {
  /** Stores them all or none; a score with a known id is replaced. The ids differ. Returns them in the order given. */
  put(projectId: string, scores: readonly SentScore[], now: Date): Promise<StoredScore[]>;
  /** Null if the project has none with this id. */
  find(projectId: string, id: string): Promise<StoredScore | null>;
  /** Whether there was one. */
  remove(projectId: string, id: string): Promise<boolean>;
  /** Newest first. */
  list(projectId: string, query: ScoreListQuery): Promise<ListPage<ListedScore>>;
  /** A page of an export, by id. */
  readExportPage(query: ScoreExportQuery, afterId: string | null): Promise<StoredScore[]>;
  countExported(query: ScoreExportQuery): Promise<number>;
}

const $ = parameters<SentScore, "projectId" | "now">(
  {
    id: ["text", ({ id }) => id],
    name: ["text", ({ name }) => name],
    data_type: ["text", ({ dataType }) => dataType],
    number: ["float8", ({ value }) => (typeof value === "string" ? null : Number(value))],
    label: ["text", ({ value }) => (typeof value === "string" ? value : null)],
    comment: ["text", ({ comment }) => comment],
    metadata: ["text", ({ metadata }) => metadata],
    source: ["text", ({ source }) => source],
    scored_at: ["timestamptz", ({ scoredAt }) => scoredAt?.toISOString() ?? null],
    trace_id: ["text", ({ traceId }) => traceId],
    trace_key: ["text", ({ traceId }) => traceId && canonicalTraceId(traceId)],
    span_id: ["text", ({ spanId }) => spanId],
    session_id: ["text", ({ sessionId }) => sessionId],
    run_id: ["text", ({ runId }) => runId],
    case_id: ["text", ({ caseId }) => caseId],
    run_number: ["integer", ({ runNumber }) => runNumber],
    author: ["text", ({ author }) => author],
    author_id: ["text", ({ authorId }) => authorId],
  },
  ["projectId", "now"],
);

/**
 * Replaces all columns but the time, if none was sent. In the order of ids, so that requests do not wait for each other
 * in a circle.
 */
const putText = `
  insert into ingest.scores (project_id, ${$.names}, created_at, updated_at)
  select ${$.projectId}::uuid, id, name, data_type, number, label, comment, metadata, source,
    coalesce(
      scored_at,
      (select scores.scored_at from ingest.scores where scores.project_id = ${$.projectId} and scores.id = sent.id),
      ${$.now}
    ),
    trace_id, trace_key, span_id, session_id, run_id, case_id, run_number, author, author_id, ${$.now}, ${$.now}::timestamptz
  from unnest(${$.arrays}) as sent (${$.names})
  order by id
  on conflict (project_id, id) do update
  set (${$.names}, updated_at) = (${$.names.replaceAll(/\w+/g, "excluded.$&")}, excluded.updated_at)
  returning ${columns}`;

/** For lists in this process. */
const turns = createReadTurns("ingest");

export function createScoreStore(database: Database): ScoreStore {
  const read = async (projectId: string, statement: Statement): Promise<StoredScore[]> =>
    (await database.readScoped<ScoreRecord>([projectId], statement)).rows.map(toScore);

  return {
    ...createTargetScores(database),

    async put(projectId, scores, now) {
      const { rows } = await database.scoped([projectId], (transaction) =>
        transaction.query<ScoreRecord>({
          name: "scores_put",
          text: putText,
          values: $.values(scores, { projectId, now }),
        }),
      );
      const stored = new Map(rows.map((row) => [row.id, toScore(row)]));
      return scores.flatMap(({ id }) => stored.get(id) ?? []);
    },

    async find(projectId, id) {
      const [found] = await read(projectId, {
        name: "score_find",
        text: `select ${columns} from ingest.scores where project_id = $1 and id = $2`,
        values: [projectId, id],
      });
      return found ?? null;
    },

    async remove(projectId, id) {
      const { rowCount } = await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "score_remove",
          text: "delete from ingest.scores where project_id = $1 and id = $2",
          values: [projectId, id],
        }),
      );
      return rowCount === 1;
    },

    async list(projectId, { filter, after, limit, makeRoom }) {
      const readPart = async (last: ListedScore | null, bounds: PartBounds): Promise<ListedScore[]> => {
        const statement = buildListRead(projectId, filter, last ?? after, bounds);
        const { rows } = await database.readScoped<ScoreRecord & SizedRow>([projectId], statement);
        return rows.map((row) => ({ ...toScore(row), bytes: row.bytes }));
      };
      return turns.run(projectId, () => readListPage(readPart, { rowsMax: limit, makeRoom }));
    },

    readExportPage: ({ projectId, sinceMs }, afterId) =>
      read(projectId, {
        name: "scores_export",
        text: `
          select ${columns}
          from ingest.scores
          where project_id = $1 and id > $2 and ($3::float8 is null or created_at >= to_timestamp($3 / 1000))
          order by id
          limit ${limits.exportPageRows}`,
        values: [projectId, afterId ?? "", sinceMs],
      }),

    async countExported({ projectId, sinceMs }) {
      const { rows } = await database.readScoped<{ rows: string }>([projectId], {
        name: "scores_export_count",
        text: `
          select count(*) as rows
          from ingest.scores
          where project_id = $1 and ($2::float8 is null or created_at >= to_timestamp($2 / 1000))`,
        values: [projectId, sinceMs],
      });
      return Number(rows[0]?.rows ?? 0);
    },
  };
}

/** Each condition is only in the text if it is asked for, so that the plan for any parameters uses its index. */
function buildListRead(
  projectId: string,
  filter: ScoreFilter,
  after: ScorePosition | null,
  { rowsMax, bytesMax }: PartBounds,
): Statement {
  const values: unknown[] = [projectId];
  const conditions: { name: string; text: string }[] = [];
  const add = (name: string, value: unknown, text: (parameter: string) => string): void => {
    if (value !== null) conditions.push({ name, text: ` and ${text(`$${values.push(value)}`)}` });
  };
  /** An id may be a peer's, of which a hash is stored. */
  const addId = (name: string, column: string, id: string | null, hashed: (id: string) => string): void => {
    if (id === null || hashed(id) === id) add(name, id, (value) => `${column} = ${value}`);
    else add(`peer_${name}`, [id, hashed(id)], (ids) => `${column} = any (${ids}::text[])`);
  };
  addId("trace", "trace_key", filter.traceId && canonicalTraceId(filter.traceId), traceIdOf);
  addId("span", "span_id", filter.spanId, spanIdOf);
  add("session", filter.sessionId, (id) => `session_id = ${id}`);
  addId("run", "run_id", filter.runId, (id) => experimentRunId(projectId, id));
  add("case", filter.caseId, (id) => `case_id = ${id}`);
  add("name", filter.name, (name) => `name = ${name}`);
  add("source", filter.source, (source) => `source = ${source}`);
  add("from", filter.from, (from) => `scored_at >= ${from}`);
  add("to", filter.to, (to) => `scored_at < ${to}`);
  if (after !== null) {
    const place = `($${values.push(after.scoredAt)}::timestamptz, $${values.push(after.id)})`;
    conditions.push({ name: "after", text: ` and (scored_at, id) < ${place}` });
  }
  const limit = `$${values.push(rowsMax)}`;
  return {
    name: `scores_list${conditions.map(({ name }) => `_${name}`).join("")}`,
    text: selectPart({
      rows: `
        select ${columns}
        from ingest.scores
        where project_id = $1${conditions.map(({ text }) => text).join("")}
        order by scored_at desc, id desc
        limit ${limit}`,
      large: ["comment", "metadata", "label"],
      order: "scored_at desc, id desc",
      columns,
      bytesMax: `$${values.push(bytesMax)}`,
    }),
    values,
  };
}
