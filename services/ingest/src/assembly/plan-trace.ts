import { limits } from "@touchstone/contracts";
import { forEachInSlices, mapInSlices, type Sliced, storableText } from "@touchstone/service-kit";
import type { Derivation } from "../model/derivation.ts";
import { agentIdOf } from "../model/ids.ts";
import {
  borrowedModelFlag,
  otlpFlag,
  promotedFlag,
  remoteParentFlag,
  type SpanRow,
  unmonitoredFlag,
  updatedFlag,
} from "../model/span-row.ts";
import { sameTokens, type TokenList, toTokenList } from "../model/token-list.ts";
import { type DerivedSpan, deriveTraceInSlices } from "./derive-trace.ts";
import { recordToTreeSpan, type TraceKey, type TraceRecord, type TreeRecord } from "./stored-trace.ts";
import type { TreeFragment, TreeSpan } from "./tree.ts";

/** One trace of a batch: its stored and its incoming spans. */
export interface TouchedTrace extends TraceKey {
  /** Null = nothing is stored. */
  state: TraceRecord | null;
  /** It has too many spans or log records to read on every export: `stored` and `fragments` are always empty. */
  isHuge: boolean;
  stored: TreeRecord[];
  /** New spans only, except in huge traces; each span id once. */
  incoming: SpanRow[];
  fragments: TreeFragment[];
  /** Some of the fragments, or of the updates of stored spans, come with this batch. */
  hasNewFacts: boolean;
  /** The row that no longer waits for its parent. */
  promoted: string | null;
}

/** The new values of one row. */
export interface RowColumns {
  id: string;
  isRoot: boolean;
  name: string;
  model: string | null;
  sessionId: string | null;
  agentId: string | null;
  /** Set with `agentId`. */
  agentName: string | null;
  hasError: boolean;
  aggTokens: TokenList | null;
  netTokens: TokenList | null;
  tools: string | null;
  derived: string | null;
  flags: number;
}

/** A stored row with new values. */
export interface RowChange extends RowColumns {
  projectId: string;
  before: Pick<TreeRecord, "is_root" | "created_at" | "source">;
  /** Its searched text changed or is new. */
  isRewritten: boolean;
}

/** The effect of a batch on one trace. */
export interface TracePlan extends TraceKey {
  inserts: { row: SpanRow; columns: RowColumns }[];
  changes: RowChange[];
  /** Null = unchanged. */
  trace: TraceChange | null;
  /** In a trace without root, the row to promote if its parent does not arrive. */
  firstOrphan: string | null;
}

export interface TraceChange {
  sessionId: string | null;
  shared: string | null;
  agentId: string | null;
  spanCount: number;
  isStale: boolean;
  /** The trace waits for a parent, for a derivation, or for nothing. */
  waits: "orphan" | "stale" | null;
  /** When it settles, counted from now: soon, or later because a root has not ended; null = unchanged. */
  settles: "quiet" | "open" | null;
}

/** Derives a trace from its stored and incoming spans and returns the changes, with points to pause. Pure. */
export function* planTrace(touched: TouchedTrace): Sliced<TracePlan> {
  const { projectId, traceKey, state, isHuge, stored, incoming, promoted } = touched;
  const spans = yield* mapInSlices(stored, (record): TreeSpan => {
    const span = recordToTreeSpan(record);
    return record.id === promoted ? { ...span, isPromoted: true } : span;
  });
  for (const row of incoming) spans.push(rowToTreeSpan(row));
  const derived = yield* deriveTraceInSlices(spans, touched.fragments);
  const shown = new Map<string, DerivedSpan>();
  yield* forEachInSlices(derived.spans, (span) => {
    shown.set(span.id, span);
  });
  const rootSession = storable(derived.sessionId);

  const columnsOf = (id: string, ownFlags: number): RowColumns =>
    toColumns(projectId, shown.get(id) as DerivedSpan, { rootSession, ownFlags });
  const inserts = yield* mapInSlices(incoming, (row) => ({ row, columns: columnsOf(row.id, row.flags) }));
  const changes: RowChange[] = [];
  yield* forEachInSlices(stored, (record) => {
    const columns = columnsOf(record.id, record.flags & (otlpFlag | remoteParentFlag | updatedFlag | unmonitoredFlag));
    if (isShownAlready(record, columns)) return;
    changes.push({
      ...columns,
      projectId,
      before: record,
      isRewritten: columns.isRoot && isRewritten(record, columns),
    });
  });
  const agentName = derived.agentName === null ? null : storableName(derived.agentName);
  const trace: TraceChange = {
    sessionId: storable(derived.sessionId),
    shared: derived.shared,
    agentId: agentName === null ? null : agentIdOf(projectId, agentName),
    spanCount: spans.length,
    isStale: false,
    waits: derived.firstOrphan === null ? null : "orphan",
    settles: planSettling(touched, spans, (id) => shown.get(id)?.isRoot === true),
  };
  if (isHuge) {
    // Deriving from the new spans alone would lose the stored ones; the sweeper derives the whole trace.
    Object.assign(trace, {
      ...(state !== null && { sessionId: state.session_id, shared: state.shared, agentId: state.agent_id }),
      spanCount: (state?.span_count ?? 0) + incoming.length,
      isStale: true,
      waits: "stale",
    });
  }
  const { firstOrphan } = derived;
  return { projectId, traceKey, inserts, changes, trace: isKnown(state, trace) ? null : trace, firstOrphan };
}

/** A trace settles only because of new spans that were not imported, and only if it has a root. */
function planSettling(
  { isHuge, stored, incoming, hasNewFacts, promoted }: TouchedTrace,
  spans: readonly TreeSpan[],
  isRoot: (id: string) => boolean,
): TraceChange["settles"] {
  const hasGrown =
    hasNewFacts ||
    stored.some(({ id, flags }) => id === promoted && (flags & unmonitoredFlag) === 0) ||
    incoming.some(({ flags }) => (flags & unmonitoredFlag) === 0);
  if (!hasGrown) return null;
  const roots = spans.filter(({ id }) => isRoot(id));
  if (roots.some(({ endedAtMs }) => endedAtMs === null)) return "open";
  // The roots of a huge trace are not known here.
  return roots.length > 0 || isHuge ? "quiet" : null;
}

function rowToTreeSpan(row: SpanRow): TreeSpan {
  return {
    id: row.id,
    spanId: row.spanId as string,
    parentSpanId: row.parentSpanId,
    parentIsRemote: (row.flags & remoteParentFlag) !== 0,
    isPromoted: false,
    kind: row.kind,
    startedAtMs: row.startedAtMs,
    endedAtMs: row.endedAtMs,
    ownTokens: row.ownTokens,
    responseId: row.responseId,
    facts: row.facts ?? { name: row.name },
  };
}

function toColumns(
  projectId: string,
  shown: DerivedSpan,
  { rootSession, ownFlags }: { rootSession: string | null; ownFlags: number },
): RowColumns {
  const agentName = shown.agentName === null ? null : storableName(shown.agentName);
  return {
    id: shown.id,
    isRoot: shown.isRoot,
    name: storableName(shown.name),
    model: storable(shown.model),
    sessionId: shown.isRoot ? rootSession : storable(shown.sessionId),
    agentId: agentName === null ? null : agentIdOf(projectId, agentName),
    agentName,
    hasError: shown.hasError,
    aggTokens: shown.aggTokens,
    netTokens: shown.netTokens,
    tools: shown.tools,
    derived: shown.derived,
    flags: ownFlags | (shown.isPromoted ? promotedFlag : 0) | (shown.borrowsModel ? borrowedModelFlag : 0),
  };
}

function storable(text: string | null): string | null {
  return text === null ? null : storableText(text);
}

function storableName(name: string): string {
  return storableText(name, limits.traceNameMaxChars);
}

function isShownAlready(record: TreeRecord, columns: RowColumns): boolean {
  return (
    record.is_root === columns.isRoot &&
    record.flags === columns.flags &&
    record.name === columns.name &&
    record.model === columns.model &&
    record.session_id === columns.sessionId &&
    record.agent_id === columns.agentId &&
    record.has_error === columns.hasError &&
    record.derived === columns.derived &&
    record.tools === columns.tools &&
    sameTokens(toTokenList(record.net_tokens ?? []), columns.netTokens) &&
    sameTokens(toTokenList(record.agg_tokens ?? []), columns.aggTokens)
  );
}

/** True if the searched text of a root changes. */
function isRewritten(record: TreeRecord, columns: RowColumns): boolean {
  if (!record.is_root || record.name !== columns.name || record.model !== columns.model) return true;
  if (record.session_id !== columns.sessionId || record.has_error !== columns.hasError) return true;
  if (record.derived === columns.derived) return false;
  const [before, after] = [parseDerived(record.derived), parseDerived(columns.derived)];
  return before.inputFrom !== after.inputFrom || before.outputFrom !== after.outputFrom;
}

/** Parses a row's `derived`. */
export function parseDerived(derived: string | null): Derivation {
  return derived === null ? {} : (JSON.parse(derived) as Derivation);
}

function isKnown(state: TraceRecord | null, trace: TraceChange): boolean {
  return (
    state !== null &&
    state.session_id === trace.sessionId &&
    state.shared === trace.shared &&
    state.agent_id === trace.agentId &&
    state.span_count === trace.spanCount &&
    state.is_stale === trace.isStale &&
    state.is_watched === (trace.waits !== null) &&
    trace.settles === null
  );
}
