import { type FragmentFacts, fragmentFacts, shortenFacts } from "../model/incoming-fragment.ts";
import type { OwnFacts } from "../model/own-facts.ts";
import { promotedFlag, remoteParentFlag } from "../model/span-row.ts";
import { toTokenList } from "../model/token-list.ts";
import type { TreeFragment, TreeSpan } from "./tree.ts";

/** An OTel trace of a project. */
export interface TraceKey {
  projectId: string;
  traceKey: string;
}

export interface TraceRecord {
  project_id: string;
  trace_key: string;
  session_id: string | null;
  shared: string | null;
  agent_id: string | null;
  span_count: number;
  is_stale: boolean;
  is_due: boolean;
  /** An action is scheduled for it. */
  is_watched: boolean;
}

/** A stored row of a trace: its inputs for derivation, and its current values. */
export interface TreeRecord {
  project_id: string;
  trace_key: string;
  id: string;
  span_id: string;
  parent_span_id: string | null;
  kind: string;
  flags: number;
  started_ms: number | null;
  ended_ms: number | null;
  own_tokens: (number | null)[] | null;
  response_id: string | null;
  facts: string;
  is_root: boolean;
  name: string;
  model: string | null;
  session_id: string | null;
  agent_id: string | null;
  has_error: boolean;
  agg_tokens: (number | null)[] | null;
  net_tokens: (number | null)[] | null;
  tools: string | null;
  derived: string | null;
  created_at: Date;
  source: string | null;
}

export interface FragmentRecord {
  project_id: string;
  trace_key: string | null;
  dk: string;
  span_id: string | null;
  response_id: string | null;
  time_nano: string;
  /** Null: they are long, and are read apart. */
  facts: string | null;
  fact_bytes: number;
}

export function recordToTreeSpan(record: TreeRecord): TreeSpan {
  return {
    id: record.id,
    spanId: record.span_id,
    parentSpanId: record.parent_span_id,
    parentIsRemote: (record.flags & remoteParentFlag) !== 0,
    isPromoted: (record.flags & promotedFlag) !== 0,
    kind: record.kind,
    startedAtMs: record.started_ms,
    endedAtMs: record.ended_ms,
    ownTokens: toTokenList(record.own_tokens ?? []),
    responseId: record.response_id,
    facts: JSON.parse(record.facts) as OwnFacts,
  };
}

/** `facts` are those of a record that has them apart. */
export function recordToTreeFragment(record: FragmentRecord, facts: FragmentFacts = {}): TreeFragment {
  return {
    dk: record.dk,
    spanId: record.span_id,
    responseId: record.response_id,
    timeNano: BigInt(record.time_nano),
    facts: record.facts === null ? facts : readFacts(record.facts),
  };
}

function readFacts(text: string): FragmentFacts {
  return fragmentFacts.parse(JSON.parse(text));
}

/** Reads long facts. The result shares no memory with their text, of which parts of its strings would keep the whole. */
export function readLongFacts(text: string): FragmentFacts {
  return readFacts(JSON.stringify(shortenFacts(readFacts(text))));
}
