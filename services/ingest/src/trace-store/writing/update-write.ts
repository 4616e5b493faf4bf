import { limits } from "@touchstone/contracts";
import { type ArrayColumns, parameters, type Statement, type Transaction } from "@touchstone/db";
import { takeLoopTurnIfLarge } from "@touchstone/service-kit";
import type { TraceKey } from "../../assembly/stored-trace.ts";
import type { StoredSpan } from "../../model/read-span.ts";
import { borrowedModelFlag, type ProjectRow, promotedFlag, type SpanRow, updatedFlag } from "../../model/span-row.ts";
import { identityOf, type ProjectUpdate, reachDk, type SpanUpdate, traceKeyOf } from "../../model/span-update.ts";
import { tokenLiteral } from "../../model/token-list.ts";
import { buildReachRead, buildReachRemoval, joinReachesOf, type ReachRecord } from "./reach-write.ts";
import { joinBodies } from "./span-insert.ts";
import { buildTraceLock } from "./trace-read.ts";
import { $spans, ofSpans, type UpdatedSpan } from "./updated-spans.ts";

/** The row of a span that its updates make, in no order; one of a new span has its own id. */
export type AssembleSpan = (projectId: string, updates: readonly SpanUpdate[]) => Promise<SpanRow>;

/** The effect of updates, before their traces are derived. */
export interface WrittenUpdates {
  /** Spans that had no row, to be stored like any other. */
  rows: ProjectRow[];
  /** The traces whose stored rows changed. */
  changed: TraceKey[];
  /** For each update, in order, with the row of its span. */
  answers: StoredSpan[];
}

/** Bounds of one span: each new update reads all of them. A span may exceed these two by one request. */
const updatesPerSpanMax = 1_000;
const updateBytesPerSpanMax = 16 * 1024 * 1024;
/** Updates that are read, and whose rows are written, at a time. */
const bytesAtOnce = 16 * 1024 * 1024;

interface HolderRecord {
  project_id: string;
  dk: string;
  id: string;
  flags: number;
  agent_id: string | null;
}

/**
 * Stores updates of spans, inside one transaction, and makes each span that has a new one again from all of its
 * updates. Stored rows are changed here, and show it once their trace is derived. Locks `traces`, which is every trace
 * of the batch.
 */
export async function writeUpdates(
  transaction: Transaction,
  updates: readonly ProjectUpdate[],
  { traces, assembleSpan, shard }: { traces: readonly TraceKey[]; assembleSpan: AssembleSpan; shard: number },
): Promise<WrittenUpdates> {
  const spans = groupBySpan(updates);
  const [, found, reaches] = await transaction.pipeline<[Record<string, unknown>, HolderRecord, ReachRecord]>([
    buildTraceLock(traces),
    buildHolderRead([...spans.values()]),
    buildReachRead([...spans.values()]),
  ]);
  const holders = new Map(found.rows.map((record) => [`${record.project_id} ${record.dk}`, record]));
  const isWhole = (key: string): boolean => ((holders.get(key)?.flags ?? updatedFlag) & updatedFlag) === 0;
  const taken = [...spans].filter(([key]) => !isWhole(key)).map(([, span]) => span);
  const stored = await storeUpdates(transaction, taken, joinReachesOf(taken, reaches.rows));

  const written: WrittenUpdates = { rows: [], changed: [], answers: [] };
  const rowOf = new Map<string, { id: string; agentId: string | null }>();
  for (const [key, { id, agent_id }] of holders) rowOf.set(key, { id, agentId: agent_id });
  const grown = taken.filter(({ dk, projectId }) => stored.grown.has(`${projectId} ${dk}`));
  for (const part of splitByBytes(grown, stored.bytes)) {
    const changed: { projectId: string; row: SpanRow }[] = [];
    for (const { projectId, dk, updates: all } of await readUpdates(transaction, part, stored.complete)) {
      const key = `${projectId} ${dk}`;
      await takeLoopTurnIfLarge(stored.bytes.get(key) ?? 0);
      const row = await assembleSpan(projectId, all);
      const flags = row.flags | updatedFlag;
      const holder = holders.get(key);
      if (holder === undefined) {
        written.rows.push({ projectId, row: { ...row, flags } });
        rowOf.set(key, { id: row.id, agentId: row.agentId });
      } else {
        const kept = holder.flags & (promotedFlag | borrowedModelFlag);
        changed.push({ projectId, row: { ...row, id: holder.id, flags: flags | kept } });
        written.changed.push({ projectId, traceKey: row.traceKey as string });
      }
    }
    if (changed.length > 0) await transaction.query(buildRowRewrite(changed, shard));
  }
  written.answers = updates.map(({ projectId, update }) => {
    const key = `${projectId} ${identityOf(update)}`;
    const row = rowOf.get(key) ?? { id: "", agentId: null };
    const state = stored.states.get(`${key} ${update.dk}`);
    if (state !== undefined) return { ...row, deduped: state === "known" };
    return { ...row, deduped: false, refused: isWhole(key) ? "stored-whole" : "too-many" };
  });
  return written;
}

function groupBySpan(updates: readonly ProjectUpdate[]): Map<string, UpdatedSpan> {
  const spans = new Map<string, UpdatedSpan>();
  for (const { projectId, update } of updates) {
    const dk = identityOf(update);
    const key = `${projectId} ${dk}`;
    const span = spans.get(key);
    if (span !== undefined) span.updates.push(update);
    else spans.set(key, { projectId, traceKey: traceKeyOf(update), spanId: update.spanId, dk, updates: [update] });
  }
  return spans;
}

/** The spans in parts of bounded size, by the stored bytes of each one's updates. */
function* splitByBytes(spans: readonly UpdatedSpan[], bytesOf: ReadonlyMap<string, number>): Generator<UpdatedSpan[]> {
  let part: UpdatedSpan[] = [];
  let bytes = 0;
  for (const span of spans) {
    const own = bytesOf.get(`${span.projectId} ${span.dk}`) ?? 0;
    if (part.length > 0 && bytes + own > bytesAtOnce) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(span);
    bytes += own;
  }
  if (part.length > 0) yield part;
}

interface StoredUpdates {
  /** Of each update of the batch that is stored, by project, span and `dk`. */
  states: Map<string, "new" | "known">;
  /** The spans with new updates. */
  grown: Set<string>;
  /** Of all updates of a span. */
  bytes: Map<string, number>;
  /** The spans that have exactly the updates of the batch. */
  complete: Set<string>;
}

/** Stores the updates of the batch that are new. Those of `widened` reach farther than before. */
async function storeUpdates(
  transaction: Transaction,
  spans: readonly UpdatedSpan[],
  widened: readonly UpdatedSpan[],
): Promise<StoredUpdates> {
  const stored: StoredUpdates = { states: new Map(), grown: new Set(), bytes: new Map(), complete: new Set() };
  const incoming = spans.flatMap((span) => span.updates.map((update) => ({ span, update })));
  if (incoming.length === 0) return stored;
  const [, inserted, known] = await transaction.pipeline<
    [
      Record<string, unknown>,
      { project_id: string; span_dk: string; dk: string },
      { project_id: string; span_dk: string; dk: string; bytes: number },
    ]
  >([buildReachRemoval(widened), buildUpdateInsert(incoming), buildUpdateList(spans)]);
  const sent = new Set(incoming.map(({ span, update }) => `${span.projectId} ${span.dk} ${update.dk}`));
  for (const { project_id, span_dk, dk, bytes } of known.rows) {
    const span = `${project_id} ${span_dk}`;
    stored.bytes.set(span, (stored.bytes.get(span) ?? 0) + bytes);
    if (sent.has(`${span} ${dk}`)) stored.states.set(`${span} ${dk}`, "known");
  }
  for (const { project_id, span_dk, dk } of inserted.rows) {
    stored.states.set(`${project_id} ${span_dk} ${dk}`, "new");
    stored.grown.add(`${project_id} ${span_dk}`);
  }
  const keyOf = ({ project_id, span_dk }: { project_id: string; span_dk: string }): string =>
    `${project_id} ${span_dk}`;
  const [newOf, allOf] = [Map.groupBy(inserted.rows, keyOf), Map.groupBy(known.rows, keyOf)];
  for (const { projectId, dk, updates } of spans) {
    const counts = [newOf, allOf].map((rowsOf) => rowsOf.get(`${projectId} ${dk}`)?.length);
    if (counts.every((count) => count === updates.length)) stored.complete.add(`${projectId} ${dk}`);
  }
  return stored;
}

/** The spans with all their updates; those of `complete` have them already. */
async function readUpdates(
  transaction: Transaction,
  spans: readonly UpdatedSpan[],
  complete: ReadonlySet<string>,
): Promise<UpdatedSpan[]> {
  const unread = spans.filter(({ projectId, dk }) => !complete.has(`${projectId} ${dk}`));
  if (unread.length === 0) return [...spans];
  const { rows } = await transaction.query<UpdateRecord>(buildUpdateRead(unread));
  const byDk = new Map<string, UpdatedSpan>();
  for (const span of unread) byDk.set(`${span.projectId} ${span.dk}`, { ...span, updates: [] });
  for (const record of rows) {
    const { project_id, span_dk, trace_key, span_id, dk, is_update, time_ms, body } = record;
    byDk.get(`${project_id} ${span_dk}`)?.updates.push({
      otelTraceId: trace_key.replaceAll("-", ""),
      spanId: span_id,
      dk,
      isUpdate: is_update,
      timeMs: time_ms,
      body: body.toString(),
      attributes: record.attribute_count,
      values: record.value_count,
    });
  }
  return spans.map((span) => byDk.get(`${span.projectId} ${span.dk}`) ?? span);
}

interface UpdateRecord {
  project_id: string;
  span_dk: string;
  trace_key: string;
  span_id: string;
  dk: string;
  is_update: boolean;
  time_ms: number;
  body: Buffer;
  attribute_count: number;
  value_count: number;
}

/** The rows that hold the identities of these spans; none for a new span. */
function buildHolderRead(spans: readonly UpdatedSpan[]): Statement {
  const text = `
    select keys.project_id, keys.dk, keys.id, spans.flags, spans.agent_id
    from unnest(${$spans.arrays}) as wanted (${$spans.names})
    join ingest.span_keys keys on keys.project_id = wanted.project_id and keys.dk = wanted.span_dk
    cross join lateral (
      select flags, agent_id
      from ingest.spans
      where spans.project_id = keys.project_id and spans.id = keys.id
      limit 1
    ) spans`;
  return { name: "updates_read_holders", text, values: $spans.values(spans, {}) };
}

const updateColumns: ArrayColumns<{ span: UpdatedSpan; update: SpanUpdate }> = {
  project_id: ["uuid", ({ span }) => span.projectId],
  trace_key: ["uuid", ({ span }) => span.traceKey],
  span_id: ["text", ({ span }) => span.spanId],
  span_dk: ["uuid", ({ span }) => span.dk],
  dk: ["uuid", ({ update }) => update.dk],
  is_update: ["boolean", ({ update }) => update.isUpdate],
  time_ms: ["float8", ({ update }) => update.timeMs],
  body: ["text", ({ update }) => update.body],
  attribute_count: ["integer", ({ update }) => update.attributes],
  value_count: ["integer", ({ update }) => update.values],
};
const $updates = parameters(updateColumns, ["updatesMax", "bytesMax", "attributesMax", "valuesMax"]);

/** Stores the updates of spans that have room for more, and every reach, of which a span has one. Returns the new ones. */
function buildUpdateInsert(updates: readonly { span: UpdatedSpan; update: SpanUpdate }[]): Statement {
  const text = `
    with incoming as materialized (
      select * from unnest(${$updates.arrays}) with ordinality as u (${$updates.names}, place)
    ),
    unknown as materialized (
      select *, sum(attribute_count) over so_far as attributes_so_far, sum(value_count) over so_far as values_so_far
      from incoming
      where not exists (
        select from ingest.span_updates known
        where known.project_id = incoming.project_id and known.trace_key = incoming.trace_key
          and known.span_id = incoming.span_id and known.dk = incoming.dk
      )
      window so_far as (partition by project_id, span_dk order by place rows unbounded preceding)
    ),
    own as materialized (
      select project_id, span_dk, own.*
      from (select distinct project_id, trace_key, span_id, span_dk from unknown) wanted
      cross join lateral (
        select count(*) as updates, coalesce(sum(octet_length(body)), 0) as bytes,
          coalesce(sum(attribute_count), 0) as attributes, coalesce(sum(value_count), 0) as stored_values
        from ingest.span_updates stored
        where stored.project_id = wanted.project_id and stored.trace_key = wanted.trace_key
          and stored.span_id = wanted.span_id
      ) own
    ),
    stored as (
      insert into ingest.span_updates
        (project_id, trace_key, span_id, dk, is_update, time_ms, body, attribute_count, value_count)
      select project_id, trace_key, span_id, dk, is_update, time_ms, convert_to(body, 'UTF8'), attribute_count, value_count
      from unknown
      join own using (project_id, span_dk)
      where dk = '${reachDk}' or own.updates < ${$updates.updatesMax}::integer
        and own.bytes < ${$updates.bytesMax}::integer
        and own.attributes + attributes_so_far <= ${$updates.attributesMax}::integer
        and own.stored_values + values_so_far <= ${$updates.valuesMax}::integer
      order by 1, 2, 3, 4
      on conflict do nothing
      returning project_id, trace_key, span_id, dk
    )
    select distinct project_id, incoming.span_dk, dk
    from stored
    join incoming using (project_id, trace_key, span_id, dk)`;
  const bounds = {
    updatesMax: updatesPerSpanMax,
    bytesMax: updateBytesPerSpanMax,
    attributesMax: limits.spanUpdateAttributesMax,
    valuesMax: limits.spanUpdateValuesMax,
  };
  return { name: "updates_insert", text, values: $updates.values(updates, bounds) };
}

/** The identities and sizes of the updates of spans. */
function buildUpdateList(spans: readonly UpdatedSpan[]): Statement {
  const text = `
    select wanted.project_id, wanted.span_dk, updates.dk, octet_length(updates.body) as bytes${ofSpans}`;
  return { name: "updates_list", text, values: $spans.values(spans, {}) };
}

function buildUpdateRead(spans: readonly UpdatedSpan[]): Statement {
  const text = `
    select wanted.project_id, wanted.span_dk, updates.trace_key, updates.span_id, updates.dk, updates.is_update,
      updates.time_ms, updates.body, updates.attribute_count, updates.value_count${ofSpans}`;
  return { name: "updates_read", text, values: $spans.values(spans, {}) };
}

const rowColumns: ArrayColumns<ProjectRow> = {
  project_id: ["uuid", ({ projectId }) => projectId],
  id: ["uuid", ({ row }) => row.id],
  parent_span_id: ["text", ({ row }) => row.parentSpanId],
  started_at_ms: ["float8", ({ row }) => row.startedAtMs],
  ended_at_ms: ["float8", ({ row }) => row.endedAtMs],
  kind: ["text", ({ row }) => row.kind],
  framework: ["text", ({ row }) => row.framework],
  source: ["text", ({ row }) => row.source],
  latency_ms: ["float8", ({ row }) => row.latencyMs],
  own_tokens: ["text", ({ row }) => tokenLiteral(row.ownTokens)],
  response_id: ["text", ({ row }) => row.responseId],
  facts: ["text", ({ row }) => JSON.stringify(row.facts)],
  prompt_name: ["text", ({ row }) => row.prompt?.name ?? null],
  prompt_version: ["text", ({ row }) => row.prompt?.version ?? null],
  flags: ["smallint", ({ row }) => row.flags],
  body_length: ["integer", ({ row }) => row.body.length],
};
const $rows = parameters(rowColumns, ["bodies", "bodyStarts", "shard"]);

/** Changes the columns that a span states itself; the counters of roots follow their framework and source. */
function buildRowRewrite(rows: readonly ProjectRow[], shard: number): Statement {
  const text = `
    with wanted as materialized (
      select * from unnest(${$rows.arrays}, ${$rows.bodyStarts}::integer[]) as u (${$rows.names}, body_start)
    ),
    changed as (
      update ingest.spans
      set parent_span_id = wanted.parent_span_id, started_at = to_timestamp(wanted.started_at_ms / 1000),
        ended_at = to_timestamp(wanted.ended_at_ms / 1000), kind = wanted.kind, framework = wanted.framework,
        source = wanted.source, latency_ms = wanted.latency_ms, own_tokens = wanted.own_tokens::float8[],
        response_id = wanted.response_id, facts = wanted.facts, flags = wanted.flags,
        prompt_name = wanted.prompt_name, prompt_version = wanted.prompt_version,
        body = substr(${$rows.bodies}::bytea, wanted.body_start, wanted.body_length)
      from wanted
      where spans.project_id = wanted.project_id and spans.id = wanted.id
      returning spans.project_id, spans.created_at, spans.is_root, old.framework as old_framework,
        old.source as old_source, new.framework, new.source
    ),
    moved as (
      select * from changed
      where is_root and (old_framework is distinct from framework or old_source is distinct from source)
    )
    insert into ingest.root_counts as counts (project_id, day, framework, source, shard, n)
    select project_id, (created_at at time zone 'UTC')::date, coalesce(framework, ''), coalesce(source, ''),
      ${$rows.shard}::smallint, sum(step)
    from (
      select project_id, created_at, framework, source, 1 as step from moved
      union all
      select project_id, created_at, old_framework, old_source, -1 from moved
    ) steps
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (project_id, day, framework, source, shard) do update
    set n = counts.n + excluded.n`;
  const values = $rows.values(rows, { ...joinBodies(rows), shard });
  return { name: "updates_rewrite_rows", text, values };
}
