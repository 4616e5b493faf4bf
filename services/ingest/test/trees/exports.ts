import { runAtOnce } from "@touchstone/service-kit";
import { planTrace } from "../../src/assembly/plan-trace.ts";
import type { TraceRecord, TreeRecord } from "../../src/assembly/stored-trace.ts";
import type { IncomingSpan } from "../../src/model/span.ts";
import type { SpanRow } from "../../src/model/span-row.ts";
import { tokenLiteral } from "../../src/model/token-list.ts";
import { decodeTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { prepareSpans } from "../../src/recording/prepare-span.ts";
import { type Capture, listCaptures, nowMs, readCapture } from "../otlp/corpus.ts";

/** A row of a trace as people compare it: rows are called by their span ids, since ids are made on receipt. */
export interface ComparedRow {
  spanId: string;
  isRoot: boolean;
  name: string;
  model: string | null;
  sessionId: string | null;
  agent: string | null;
  hasError: boolean;
  tokens: string | null;
  /** What of them no other span accounts for. */
  netTokens: readonly (number | null)[] | null;
  tools: string | null;
  derived: unknown;
}

export const traceCaptures = listCaptures().filter(({ signal }) => signal === "traces");

export async function spansOf(capture: Capture): Promise<IncomingSpan[]> {
  const body = await readCapture(capture);
  const { spans } = await decodeTraceExport({ body, contentType: capture.contentType, nowMs });
  return spans;
}

/** Numbers between 0 and 1 that a seed determines. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The spans in any order, cut into exports anywhere, some of them sent again. */
export function cutIntoExports<Span>(spans: readonly Span[], random: () => number): Span[][] {
  const shuffled = [...spans];
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [shuffled[index], shuffled[other]] = [shuffled[other] as Span, shuffled[index] as Span];
  }
  const exports: Span[][] = [[]];
  for (const span of shuffled) {
    if (random() < 0.4) exports.push([]);
    exports.at(-1)?.push(span);
    if (random() < 0.2) exports[Math.floor(random() * exports.length)]?.push(span);
  }
  return exports.filter((batch) => batch.length > 0);
}

/** What rows a store ends up with that takes these exports one after the other; its own memory, the real plan. */
export async function storeInMemory(exports: readonly IncomingSpan[][]): Promise<ComparedRow[]> {
  const projectId = "0190a000-0000-7000-8000-000000000000";
  const traces = new Map<
    string,
    { state: TraceRecord | null; rows: Map<string, TreeRecord>; ids: Map<string, string> }
  >();
  const agents = new Map<string, string>();
  for (const spans of exports) {
    const { rows } = await prepareSpans(spans, {
      projectId,
      nowMs,
      fieldCharsMax: null,
      agentId: null,
      monitor: null,
      patternIds: null,
    });
    for (const [traceKey, batch] of Map.groupBy(rows, (row) => row.traceKey as string)) {
      const trace = traces.get(traceKey) ?? { state: null, rows: new Map(), ids: new Map() };
      traces.set(traceKey, trace);
      const incoming: SpanRow[] = [];
      for (const row of batch) {
        if (trace.ids.has(row.spanId as string)) continue;
        trace.ids.set(row.spanId as string, row.id);
        incoming.push(row);
      }
      const plan = runAtOnce(
        planTrace({
          projectId,
          traceKey,
          state: trace.state,
          isHuge: false,
          stored: [...trace.rows.values()],
          incoming,
          fragments: [],
          hasNewFacts: false,
          promoted: null,
        }),
      );
      for (const { row, columns } of plan.inserts) {
        trace.rows.set(row.id, { ...recordOf(projectId, row), ...shown(columns) });
      }
      for (const change of plan.changes) {
        trace.rows.set(change.id, { ...(trace.rows.get(change.id) as TreeRecord), ...shown(change) });
      }
      for (const { agentId, agentName } of [...plan.inserts.map(({ columns }) => columns), ...plan.changes]) {
        if (agentId !== null && agentName !== null) agents.set(agentId, agentName);
      }
      if (plan.trace !== null) {
        trace.state = {
          project_id: projectId,
          trace_key: traceKey,
          session_id: plan.trace.sessionId,
          shared: plan.trace.shared,
          agent_id: plan.trace.agentId,
          span_count: plan.trace.spanCount,
          is_stale: plan.trace.isStale,
          is_due: false,
          is_watched: plan.trace.waits !== null,
        };
      }
    }
  }
  const keys = [...traces.keys()].sort();
  return keys.flatMap((key) => compareRows([...(traces.get(key)?.rows.values() ?? [])], agents));
}

/** Rows under the names of their spans, in the order of those. */
function compareRows(
  rows: readonly Omit<TreeRecord, "project_id" | "trace_key">[],
  agents: ReadonlyMap<string, string>,
): ComparedRow[] {
  const spanIds = new Map(rows.map((row) => [row.id, row.span_id]));
  const compared = rows.map((row) => ({
    spanId: row.span_id,
    isRoot: row.is_root,
    name: row.name,
    model: row.model,
    sessionId: row.session_id,
    agent: row.agent_id === null ? null : (agents.get(row.agent_id) ?? "?"),
    hasError: row.has_error,
    tokens: tokenText(row.agg_tokens ?? row.own_tokens),
    netTokens: row.net_tokens,
    tools: row.tools,
    derived:
      row.derived === null
        ? null
        : JSON.parse(row.derived.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => spanIds.get(id) ?? id)),
  }));
  return compared.sort((left, right) => (left.spanId < right.spanId ? -1 : 1));
}

function tokenText(tokens: readonly (number | null)[] | null): string | null {
  if (tokens === null) return null;
  const [input = null, output = null, cacheRead = null, cacheWrite = null, reasoning = null] = tokens;
  return tokenLiteral([input, output, cacheRead, cacheWrite, reasoning]);
}

function shown(columns: {
  isRoot: boolean;
  name: string;
  model: string | null;
  sessionId: string | null;
  agentId: string | null;
  hasError: boolean;
  aggTokens: readonly (number | null)[] | null;
  netTokens: readonly (number | null)[] | null;
  tools: string | null;
  derived: string | null;
  flags: number;
}) {
  return {
    is_root: columns.isRoot,
    name: columns.name,
    model: columns.model,
    session_id: columns.sessionId,
    agent_id: columns.agentId,
    has_error: columns.hasError,
    agg_tokens: columns.aggTokens === null ? null : [...columns.aggTokens],
    net_tokens: columns.netTokens === null ? null : [...columns.netTokens],
    tools: columns.tools,
    derived: columns.derived,
    flags: columns.flags,
  };
}

function recordOf(projectId: string, row: SpanRow): Omit<TreeRecord, keyof ReturnType<typeof shown>> {
  return {
    project_id: projectId,
    trace_key: row.traceKey as string,
    id: row.id,
    span_id: row.spanId as string,
    parent_span_id: row.parentSpanId,
    kind: row.kind,
    started_ms: row.startedAtMs,
    ended_ms: row.endedAtMs,
    own_tokens: row.ownTokens === null ? null : [...row.ownTokens],
    response_id: row.responseId,
    facts: JSON.stringify(row.facts),
    created_at: new Date(row.createdAtMs),
    source: row.source,
  };
}
