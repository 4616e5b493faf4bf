import { limits } from "@touchstone/contracts";
import type { Database, Statement } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { noAgent } from "./finding-store.ts";
import type { Polarity, Severity } from "./signal.ts";

export type SignalStatus = "open" | "reopened" | "in_review" | "resolved" | "archived" | "dismissed";

/** One time a signal was seen. */
export interface Occurrence {
  id: string;
  traceId: string | null;
  sessionId: string | null;
  seenAt: Date;
  query: string | null;
  responsePreview: string | null;
  rating: number | null;
  justification: string | null;
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
  /** The newest, the newest first. */
  occurrences: readonly Occurrence[];
}

export interface SignalFilter {
  severity: Severity | null;
  status: SignalStatus | null;
  agentId: string | null;
  /** Null = both. */
  polarity: Polarity | null;
  limit: number;
}

/** What triage changes; an absent member stays, null takes one away. */
export interface SignalChange {
  status?: SignalStatus;
  severity?: Severity;
  reviewStatus?: string | null;
  recommendedActions?: unknown;
}

export interface SignalFeedback {
  id: string;
  signalId: string;
  occurrenceId: string | null;
  metric: string;
  rationale: string;
  originalScore: number | null;
  correctedScore: number | null;
  queuedForAutotune: boolean;
  createdAt: Date;
}

export interface SignalStore {
  /** Last seen first; of each its ten newest occurrences. */
  list(projectId: string, filter: SignalFilter): Promise<StoredSignal[]>;
  /** With every occurrence that is kept. */
  find(projectId: string, id: string): Promise<StoredSignal | null>;
  /** False when there is no such signal. */
  change(projectId: string, id: string, change: SignalChange): Promise<boolean>;
  /** Null when there is no such signal. */
  addFeedback(projectId: string, feedback: Omit<SignalFeedback, "id" | "createdAt">): Promise<SignalFeedback | null>;
}

const occurrencesListed = 10;

export function createSignalStore(database: Database): SignalStore {
  return {
    async list(projectId, { severity, status, agentId, polarity, limit }) {
      const { rows } = await database.readScoped<SignalRow>([projectId], {
        name: "signals_list",
        text: `
          select ${columns}, ${occurrencesOf(occurrencesListed)}
          from monitor.signals
          where project_id = $1
            and ($2::text is null or severity = $2)
            and ($3::text is null or status = $3)
            and ($4::uuid is null or agent_id = $4)
            and ($5::text is null or polarity = $5)
          order by last_seen_at desc, id desc
          limit $6`,
        values: [projectId, severity, status, agentId, polarity, limit],
      });
      return rows.map(readRow);
    },

    async find(projectId, id) {
      const { rows } = await database.readScoped<SignalRow>([projectId], selectSignal(projectId, id));
      return rows.map(readRow)[0] ?? null;
    },

    async change(projectId, id, { status, severity, reviewStatus, recommendedActions }) {
      const { rowCount } = await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "signal_change",
          text: `
            update monitor.signals
            set status = coalesce($3, status),
                severity = coalesce($4, severity),
                review_status = case when $5 then $6 else review_status end,
                recommended_actions = case when $7 then $8::json else recommended_actions end,
                updated_at = now()
            where project_id = $1
              and id = $2`,
          values: [
            projectId,
            id,
            status ?? null,
            severity ?? null,
            reviewStatus !== undefined,
            reviewStatus ?? null,
            recommendedActions !== undefined,
            recommendedActions === undefined || recommendedActions === null ? null : JSON.stringify(recommendedActions),
          ],
        }),
      );
      return rowCount === 1;
    },

    async addFeedback(projectId, feedback) {
      const { rows } = await database.scoped([projectId], (transaction) =>
        transaction.query<{ created_at: Date; id: string }>({
          name: "signal_feedback_add",
          text: `
            insert into monitor.signal_feedback
              (project_id, id, signal_id, occurrence_id, metric, rationale, original_score, corrected_score,
               queued_for_autotune, created_at)
            select $1, $2, signals.id, $4, $5, $6, $7, $8, $9, now()
            from monitor.signals
            where signals.project_id = $1
              and signals.id = $3
            returning id, created_at`,
          values: [
            projectId,
            uuidv7(Date.now()),
            feedback.signalId,
            feedback.occurrenceId,
            feedback.metric,
            feedback.rationale,
            feedback.originalScore,
            feedback.correctedScore,
            feedback.queuedForAutotune,
          ],
        }),
      );
      const [row] = rows;
      return row === undefined ? null : { ...feedback, id: row.id, createdAt: row.created_at };
    },
  };
}

const columns = `
  id, pattern_key, agent_id, type, severity, polarity, status, review_status, recommended_actions, summary, root_cause,
  evidence, occurrence_count, first_seen_at, last_seen_at, created_at, updated_at`;

const occurrencesOf = (count: number): string => `
  (
    select coalesce(json_agg(newest order by newest.seen_at desc, newest.id desc), '[]')
    from (
      select id, trace_id, session_id, seen_at, query, response_preview, rating, justification
      from monitor.signal_occurrences
      where signal_occurrences.project_id = $1
        and signal_occurrences.signal_id = signals.id
      order by seen_at desc, id desc
      limit ${count}
    ) newest
  ) as occurrences`;

const selectSignal = (projectId: string, id: string): Statement => ({
  name: "signal_find",
  text: `
    select ${columns}, ${occurrencesOf(limits.signalOccurrencesKept)}
    from monitor.signals
    where project_id = $1
      and id = $2`,
  values: [projectId, id],
});

interface OccurrenceJson {
  id: string;
  trace_id: string | null;
  session_id: string | null;
  seen_at: string;
  query: string | null;
  response_preview: string | null;
  rating: number | null;
  justification: string | null;
}

type SignalRow = {
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

const readRow = (row: SignalRow): StoredSignal => ({
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
  })),
});
