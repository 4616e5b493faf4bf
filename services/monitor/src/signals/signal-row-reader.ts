import type { Polarity, Severity } from "../model/finding.ts";
import { noAgent } from "./finding-store.ts";

export type SignalStatus = "open" | "reopened" | "in_review" | "resolved" | "archived" | "dismissed";

/** One occurrence of a signal. */
export interface Occurrence {
  id: string;
  traceId: string | null;
  sessionId: string | null;
  seenAt: Date;
  query: string | null;
  responsePreview: string | null;
  rating: number | null;
  justification: string | null;
  /** The id of the judge's record behind the rating. */
  verdictId: string | null;
}

export interface StoredSignal {
  id: string;
  patternKey: string;
  agentId: string | null;
  type: string;
  severity: Severity;
  polarity: Polarity;
  status: SignalStatus;
  reviewStatus: string | null;
  recommendedActions: unknown;
  summary: string;
  rootCause: string | null;
  evidence: unknown;
  occurrenceCount: number;
  firstSeenAt: Date;
  lastSeenAt: Date;
  createdAt: Date;
  updatedAt: Date;
  /** The newest ones, newest first; empty if they were not read. */
  occurrences: readonly Occurrence[];
}

/** The columns of `monitor.signals` that {@link readSignalRow} reads, besides the occurrences. */
export const signalColumns = `
  id, pattern_key, agent_id, type, severity, polarity, status, review_status, recommended_actions, summary, root_cause,
  evidence, occurrence_count, first_seen_at, last_seen_at, created_at, updated_at`;

/** The newest occurrences of a signal, as the column `occurrences`; `$1` is the project. */
export const occurrencesColumn = (count: number): string => `
  (
    select coalesce(json_agg(newest order by newest.seen_at desc, newest.id desc), '[]')
    from (
      select id, trace_id, session_id, seen_at, query, response_preview, rating, justification, record_id
      from monitor.signal_occurrences
      where signal_occurrences.project_id = $1
        and signal_occurrences.signal_id = signals.id
      order by seen_at desc, id desc
      limit ${count}
    ) newest
  ) as occurrences`;

interface OccurrenceJson {
  id: string;
  trace_id: string | null;
  session_id: string | null;
  seen_at: string;
  query: string | null;
  response_preview: string | null;
  rating: number | null;
  justification: string | null;
  record_id: string | null;
}

export type SignalRow = {
  id: string;
  pattern_key: string;
  agent_id: string;
  type: string;
  severity: Severity;
  polarity: Polarity;
  status: SignalStatus;
  review_status: string | null;
  recommended_actions: unknown;
  summary: string;
  root_cause: string | null;
  evidence: unknown;
  occurrence_count: string;
  first_seen_at: Date;
  last_seen_at: Date;
  created_at: Date;
  updated_at: Date;
  occurrences: OccurrenceJson[];
};

export const readSignalRow = (row: SignalRow): StoredSignal => ({
  id: row.id,
  patternKey: row.pattern_key,
  agentId: row.agent_id === noAgent ? null : row.agent_id,
  type: row.type,
  severity: row.severity,
  polarity: row.polarity,
  status: row.status,
  reviewStatus: row.review_status,
  recommendedActions: row.recommended_actions,
  summary: row.summary,
  rootCause: row.root_cause,
  evidence: row.evidence,
  occurrenceCount: Number(row.occurrence_count),
  firstSeenAt: row.first_seen_at,
  lastSeenAt: row.last_seen_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  occurrences: row.occurrences.map((each) => ({
    id: each.id,
    traceId: each.trace_id,
    sessionId: each.session_id,
    seenAt: new Date(each.seen_at),
    query: each.query,
    responsePreview: each.response_preview,
    rating: each.rating,
    justification: each.justification,
    verdictId: each.record_id,
  })),
});
