import type { Statement, Transaction } from "@touchstone/db";
import { runInSlices, type Sliced, takeLoopTurn } from "@touchstone/service-kit";
import type { AssemblySettings } from "../../assembly/assembly-settings.ts";
import {
  parseDerived,
  planTrace,
  type RowColumns,
  type TouchedTrace,
  type TracePlan,
} from "../../assembly/plan-trace.ts";
import type { TraceKey } from "../../assembly/stored-trace.ts";
import { describeRoot } from "../../model/describe-root.ts";
import { toUuid } from "../../model/ids.ts";
import type { StoredSpan } from "../../model/read-span.ts";
import { otlpFlag, type ProjectRow, type SpanRow } from "../../model/span-row.ts";
import { type ProjectUpdate, traceKeyOf } from "../../model/span-update.ts";
import { rootText } from "../../search/search-text.ts";
import { buildFragmentInsert, type ProjectFragment } from "./fragment-write.ts";
import { emptyTrace, keyOf, type ReadTrace, readTraces } from "./read-traces.ts";
import { rewriteTexts } from "./rewrite-texts.ts";
import { buildSpanInsert } from "./span-insert.ts";
import { splitRows } from "./split-rows.ts";
import {
  buildBodyRead,
  buildNewTraceCheck,
  buildResponseTraces,
  buildTraceLock,
  type ResponseKey,
} from "./trace-read.ts";
import { buildRowChanges, buildTraceChanges, type ChangedRow } from "./trace-write.ts";
import { type AssembleSpan, type WrittenUpdates, writeUpdates } from "./update-write.ts";

/** Rows changed by one statement. */
const changesMax = 2_000;

/** The writer's shard of the counters, and its quota (null = none). */
export interface WriteContext {
  shard: number;
  quota: number | null;
  settings: AssemblySettings;
}

/**
 * True if the traces of a batch are assumed to be new: none of them is read, and the transaction fails if the guess is
 * wrong.
 */
export interface TraceWriteContext extends WriteContext {
  areNew: boolean;
  assembleSpan: AssembleSpan;
}

/** The content of a batch. */
export interface TraceBatch {
  rows: readonly ProjectRow[];
  fragments: readonly ProjectFragment[];
  updates: readonly ProjectUpdate[];
}

/** The row that holds each span of a tree, by the id of the incoming row; null = a row not known here. */
export type Holders = Map<string, { id: string; agentId: string | null } | null>;

/**
 * Stores rows, some of them of OTel traces, and log fragments, inside one transaction: reads the stored spans of the
 * traces under their locks, derives old and new together, writes the new rows with their final values and the old ones
 * whose values changed. A replay changes nothing. `taken` are the rows not stored because their identity exists,
 * `answers` those of the updates.
 */
export async function writeTraces(
  transaction: Transaction,
  batch: TraceBatch,
  context: TraceWriteContext,
): Promise<{ holders: Holders; taken: string[]; answers: StoredSpan[] }> {
  const { traces, before, rows, changed, answers } = context.areNew
    ? { ...takeForNew(batch.rows), rows: batch.rows, changed: [], answers: [] }
    : { ...(await readBatch(transaction, batch, context)), before: [] };
  const twins: { row: SpanRow; first: string }[] = [];
  const holders: Holders = new Map();
  for (const { projectId, row } of rows) {
    if (!isOfTree(row)) continue;
    const trace = traces.get(keyOf({ projectId, traceKey: row.traceKey })) as ReadTrace;
    const first = trace.holders.get(row.spanId);
    if (first === undefined) {
      trace.holders.set(row.spanId, row.id);
      trace.touched.incoming.push(row);
    } else twins.push({ row, first });
  }
  for (const key of changed) (traces.get(keyOf(key)) as ReadTrace).touched.hasNewFacts = true;
  const plans: TracePlan[] = [];
  for (const { touched } of traces.values()) plans.push(await runInSlices(planTrace(touched)));
  const rewritten = [...tracesWithRecords(traces.values()), ...changed];
  const isLast = rewritten.length === 0;
  const { taken, columns } = await writePlans(transaction, plans, { ...context, before, rows, isLast });
  await rewriteTexts(transaction, rewritten);
  for (const id of columns.keys()) holders.set(id, { id, agentId: columns.get(id)?.agentId ?? null });
  for (const { touched } of traces.values()) {
    for (const { id, agent_id } of touched.stored) {
      if (!columns.has(id)) holders.set(id, { id, agentId: agent_id });
    }
  }
  for (const id of taken) if (holders.has(id)) holders.set(id, null);
  for (const { row, first } of twins) holders.set(row.id, holders.get(first) ?? null);
  return { holders, taken, answers };
}

/**
 * Derives stored traces again, inside one transaction, and may promote one row of each that waited long enough for its
 * parent. `choose` sees a trace under its lock and returns what to do; null = nothing.
 */
export async function deriveStored(
  transaction: Transaction,
  keys: readonly TraceKey[],
  context: WriteContext,
  choose: (touched: TouchedTrace) => Sliced<TracePlan | null>,
): Promise<void> {
  const traces = await readTraces(transaction, keys, { rows: [], responses: [], spansMax: null, before: [] });
  const plans: TracePlan[] = [];
  for (const { touched } of traces.values()) {
    const plan = await runInSlices(choose(touched));
    if (plan !== null) plans.push(plan);
  }
  const rewritten = tracesWithRecords(traces.values());
  await writePlans(transaction, plans, { ...context, before: [], rows: [], isLast: rewritten.length === 0 });
  await rewriteTexts(transaction, rewritten);
}

/** The traces that have log records. */
function tracesWithRecords(traces: Iterable<ReadTrace>): TraceKey[] {
  return [...traces].filter(({ touched }) => touched.fragments.length > 0).map(({ touched }) => touched);
}

type TreeRow = SpanRow & { traceKey: string; spanId: string };

function isOfTree(row: SpanRow): row is TreeRow {
  return (row.flags & otlpFlag) !== 0 && row.traceKey !== null && row.spanId !== null;
}

/** The traces of these rows under the assumption that they are new, and the statements that verify it. */
function takeForNew(rows: readonly ProjectRow[]): { traces: Map<string, ReadTrace>; before: Statement[] } {
  const traces = new Map<string, ReadTrace>();
  const responses: ResponseKey[] = [];
  for (const { projectId, row } of rows) {
    if (!isOfTree(row)) continue;
    const key = keyOf({ projectId, traceKey: row.traceKey });
    if (!traces.has(key)) traces.set(key, emptyTrace({ projectId, traceKey: row.traceKey }));
    if (row.responseId !== null) responses.push({ projectId, responseId: row.responseId });
  }
  const keys = [...traces.values()].map(({ touched: { projectId, traceKey } }) => ({ projectId, traceKey }));
  return { traces, before: [buildTraceLock(keys), buildNewTraceCheck(keys, responses)] };
}

async function readBatch(
  transaction: Transaction,
  { rows: sent, fragments, updates }: TraceBatch,
  { settings: { spansMax }, assembleSpan, shard }: TraceWriteContext,
): Promise<{ traces: Map<string, ReadTrace> } & WrittenUpdates> {
  const keys = new Map<string, TraceKey>();
  const need = (key: TraceKey): void => void keys.set(keyOf(key), key);
  for (const { projectId, row } of sent) if (isOfTree(row)) need({ projectId, traceKey: row.traceKey });
  for (const { projectId, update } of updates) need({ projectId, traceKey: traceKeyOf(update) });
  const responses: ResponseKey[] = [];
  for (const { projectId, fragment } of fragments) {
    if (fragment.otelTraceId !== null) need({ projectId, traceKey: toUuid(fragment.otelTraceId) });
    else if (fragment.responseId !== null) responses.push({ projectId, responseId: fragment.responseId });
  }
  if (responses.length > 0) {
    // Spans that are being committed are missed here: the sweeper checks again.
    const found = await transaction.query<{ project_id: string; trace_key: string }>(buildResponseTraces(responses));
    for (const { project_id, trace_key } of found.rows) need({ projectId: project_id, traceKey: trace_key });
  }
  const before = fragments.length === 0 ? [] : [buildFragmentInsert(fragments)];
  const locked = [...keys.values()];
  const written =
    updates.length === 0
      ? { rows: [], changed: [], answers: [] }
      : await writeUpdates(transaction, updates, { traces: locked, assembleSpan, shard });
  const rows = [...written.rows, ...sent];
  return { ...written, rows, traces: await readTraces(transaction, locked, { rows, responses, spansMax, before }) };
}

async function writePlans(
  transaction: Transaction,
  plans: readonly TracePlan[],
  {
    shard,
    quota,
    settings,
    before,
    rows,
    isLast,
  }: WriteContext & { before: readonly Statement[]; rows: readonly ProjectRow[]; isLast: boolean },
): Promise<{ taken: string[]; columns: Map<string, RowColumns> }> {
  const columns = new Map<string, RowColumns>();
  const bodies = await readBodies(transaction, plans);
  const texts = new Map<string, string>();
  const changed: ChangedRow[] = [];
  for (const plan of plans) {
    for (const { row, columns: own } of plan.inserts) {
      columns.set(row.id, own);
      if (own.isRoot) texts.set(row.id, await textOf(plan, own, bodies));
    }
    for (const change of plan.changes) {
      columns.set(change.id, change);
      changed.push({
        change,
        doc: change.isRewritten ? await textOf(plan, change, bodies) : null,
        event:
          change.isRoot && !change.before.is_root
            ? describeRoot(plan.projectId, {
                ...change,
                createdAtMs: change.before.created_at.getTime(),
                source: change.before.source,
              })
            : null,
        settled: null,
      });
      if (changed.length % changesMax === 0) await takeLoopTurn();
    }
  }
  const inserted: ProjectRow[] = [];
  for (const { projectId, row } of rows) {
    if (!isOfTree(row)) inserted.push({ projectId, row });
    else {
      const own = columns.get(row.id);
      if (own !== undefined)
        inserted.push({ projectId, row: finalRow(projectId, row, own, texts.get(row.id) ?? null) });
    }
  }
  const { orphanGraceMs } = settings;
  const inserts = splitRows(inserted).map((part) => buildSpanInsert(part, { shard, quota, orphanGraceMs }));
  const parts = splitChanges(changed);
  const changeRows = (part: readonly ChangedRow[]): Statement => buildRowChanges(part, { shard, quota });
  const traceChanges = plans.some(({ trace }) => trace !== null) ? [buildTraceChanges(plans, settings)] : [];
  if (inserts.length + parts.length + traceChanges.length === 0) return { taken: [], columns };
  const inserting = [...before, ...inserts];
  const early = parts.slice(0, -1);
  let results: readonly { rows: { id: string }[] }[] = [];
  if (early.length > 0 && inserting.length > 0) results = await transaction.pipeline<{ id: string }[]>(inserting);
  for (const part of early) {
    await takeLoopTurn();
    await transaction.query(changeRows(part));
  }
  const statements = [...(early.length > 0 ? [] : inserting), ...parts.slice(-1).map(changeRows), ...traceChanges];
  const last = await transaction[isLast ? "finish" : "pipeline"]<{ id: string }[]>(statements);
  if (early.length === 0) results = last;
  const stored = results.slice(before.length, before.length + inserts.length);
  return { taken: stored.flatMap((result) => result.rows.map(({ id }) => id)), columns };
}

/** Parts of one statement each; all but the last are sent by themselves, since to make many takes long. */
function splitChanges(changed: readonly ChangedRow[]): ChangedRow[][] {
  return Array.from({ length: Math.ceil(changed.length / changesMax) }, (_, part) =>
    changed.slice(part * changesMax, (part + 1) * changesMax),
  );
}

function finalRow(projectId: string, row: SpanRow, columns: RowColumns, doc: string | null): SpanRow {
  const final = { ...row, ...columns, doc };
  return columns.isRoot ? { ...final, event: describeRoot(projectId, final) } : final;
}

/** The bodies for the texts of roots, by row: incoming and stored ones. */
async function readBodies(transaction: Transaction, plans: readonly TracePlan[]): Promise<Map<string, Buffer>> {
  const bodies = new Map<string, Buffer>();
  const missing = new Map<string, { projectId: string; id: string }>();
  for (const { projectId, inserts, changes } of plans) {
    const needed: string[] = [];
    for (const { row, columns } of inserts) {
      bodies.set(row.id, row.body);
      if (columns.isRoot) needed.push(...lendersOf(columns));
    }
    for (const change of changes) if (change.isRewritten) needed.push(change.id, ...lendersOf(change));
    for (const id of needed) if (!bodies.has(id)) missing.set(id, { projectId, id });
  }
  if (missing.size === 0) return bodies;
  const { rows } = await transaction.query<{ id: string; body: Buffer }>(buildBodyRead([...missing.values()]));
  for (const { id, body } of rows) bodies.set(id, body);
  return bodies;
}

function lendersOf({ derived }: RowColumns): string[] {
  if (derived === null) return [];
  const { inputFrom, outputFrom } = parseDerived(derived);
  return [inputFrom, outputFrom].filter((id) => id !== undefined);
}

async function textOf(plan: TracePlan, root: RowColumns, bodies: ReadonlyMap<string, Buffer>): Promise<string> {
  const { inputFrom, outputFrom } = parseDerived(root.derived);
  const { id, name, model, sessionId } = root;
  const bodyOf = (lender: string | undefined): Buffer | null => bodies.get(lender ?? "") ?? null;
  return rootText(
    { id, name, model, sessionId, otelTraceId: plan.traceKey.replaceAll("-", "") },
    { own: bodies.get(id) as Buffer, input: bodyOf(inputFrom), output: bodyOf(outputFrom) },
  );
}
