import { limits } from "@touchstone/contracts";
import {
  createExportStore as createStore,
  type Database,
  type ExportedTable,
  exportById,
  exportedMembers,
  type ExportStore as Store,
} from "@touchstone/db";
import { noAgent } from "../signals/finding-store.ts";

const { json, jsonText, createdAt, updatedAt } = exportedMembers;

/** A table of this service with an id column, read in the order of ids. */
const byId = (table: string) => exportById("monitor", table);

/** Every table this service exports, by the name of the entity (completions 13). */
export const exportedTables = {
  signals: {
    columns: `
      signals.id, signals.pattern_key, signals.agent_id, signals.type, signals.severity, signals.polarity, signals.status,
      signals.review_status, signals.recommended_actions::text, signals.summary, signals.root_cause,
      signals.evidence::text, signals.occurrence_count, signals.first_seen_at, signals.last_seen_at, signals.created_at,
      signals.updated_at,
      (
        select coalesce(json_agg(json_build_object(
          'id', id, 'traceId', trace_id, 'sessionId', session_id,
          'seenAt', to_char(seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'query', query,
          'responsePreview', response_preview, 'rating', rating, 'justification', justification
        ) order by seen_at desc, id desc), '[]')::text
        from monitor.signal_occurrences
        where signal_occurrences.project_id = signals.project_id
          and signal_occurrences.signal_id = signals.id
      ) as occurrences`,
    ...byId("signals"),
    time: "signals.last_seen_at",
    size: "coalesce(octet_length(signals.evidence::text), 0) + 1000 * least(signals.occurrence_count, 100)",
    members: (row) => [
      ["patternKey", json(row.pattern_key)],
      ["agentId", json(row.agent_id === noAgent ? null : row.agent_id)],
      ["type", json(row.type)],
      ["severity", json(row.severity)],
      ["polarity", json(row.polarity)],
      ["status", json(row.status)],
      ["reviewStatus", json(row.review_status)],
      ["recommendedActions", jsonText(row.recommended_actions)],
      ["summary", json(row.summary)],
      ["rootCause", json(row.root_cause)],
      ["evidence", jsonText(row.evidence)],
      ["occurrenceCount", json(Number(row.occurrence_count))],
      ["occurrences", jsonText(row.occurrences)],
      ["firstSeenAt", json(row.first_seen_at)],
      ["lastSeenAt", json(row.last_seen_at)],
      createdAt(row),
      updatedAt(row),
    ],
  },

  "signal-feedback": {
    columns: `
      signal_feedback.id, signal_feedback.signal_id, signal_feedback.occurrence_id, signal_feedback.metric,
      signal_feedback.rationale, signal_feedback.original_score, signal_feedback.corrected_score,
      signal_feedback.queued_for_autotune, signal_feedback.created_at`,
    ...byId("signal_feedback"),
    size: "octet_length(signal_feedback.rationale)",
    members: (row) => [
      ["signalId", json(row.signal_id)],
      ["occurrenceId", json(row.occurrence_id)],
      ["metric", json(row.metric)],
      ["rationale", json(row.rationale)],
      ["originalScore", json(row.original_score)],
      ["correctedScore", json(row.corrected_score)],
      ["queuedForAutotune", json(row.queued_for_autotune)],
      createdAt(row),
    ],
  },

  events: {
    columns: `
      events.id, events.pattern_key, events.kind, events.polarity, events.severity, events.agent_id, events.trace_id,
      events.session_id, events.rating, events.justification, events.created_at`,
    ...byId("events"),
    size: "coalesce(octet_length(events.justification), 0)",
    members: (row) => [
      ["patternKey", json(row.pattern_key)],
      ["kind", json(row.kind)],
      ["polarity", json(row.polarity)],
      ["severity", json(row.severity)],
      ["agentId", json(row.agent_id)],
      ["traceId", json(row.trace_id)],
      ["sessionId", json(row.session_id)],
      ["rating", json(row.rating)],
      ["justification", json(row.justification)],
      createdAt(row),
    ],
  },

  feedback: {
    columns: `
      feedback.id, feedback.trace_id, feedback.rating, feedback.comment, feedback.end_user_id, feedback.author_id,
      feedback.created_at`,
    ...byId("feedback"),
    size: "coalesce(octet_length(feedback.comment), 0)",
    members: (row) => [
      ["traceId", json(row.trace_id)],
      ["rating", json(row.rating)],
      ["comment", json(row.comment)],
      ["endUserId", json(row.end_user_id)],
      ["authorId", json(row.author_id)],
      createdAt(row),
    ],
  },

  outcomes: {
    columns: `
      outcomes.id, outcomes.outcome, outcomes.is_negative, outcomes.trace_id, outcomes.evaluation_run_result_id,
      outcomes.reason, outcomes.reported_by, outcomes.reported_at`,
    ...byId("outcomes"),
    time: "outcomes.reported_at",
    size: "coalesce(octet_length(outcomes.reason), 0)",
    members: (row) => [
      ["traceId", json(row.trace_id)],
      ["evaluationRunResultId", json(row.evaluation_run_result_id)],
      ["outcome", json(row.outcome)],
      ["isNegative", json(row.is_negative)],
      ["reason", json(row.reason)],
      ["reportedBy", json(row.reported_by)],
      ["reportedAt", json(row.reported_at)],
    ],
  },

  "session-scores": {
    columns: `
      session_scores.id, session_scores.session_id, session_scores.scorer_key, session_scores.scorer_name,
      session_scores.round, session_scores.rating, session_scores.threshold, session_scores.justification,
      session_scores.span_count, session_scores.model, session_scores.created_at`,
    ...byId("session_scores"),
    size: "coalesce(octet_length(session_scores.justification), 0)",
    members: (row) => [
      ["sessionId", json(row.session_id)],
      ["kind", json(row.scorer_key)],
      ["scorerName", json(row.scorer_name)],
      ["round", json(row.round)],
      ["rating", json(row.rating)],
      ["threshold", json(row.threshold)],
      ["justification", json(row.justification)],
      // Null for judges and groups, which read a conversation as a whole.
      ["driftSpanId", "null"],
      ["findings", "[]"],
      ["spanCount", json(row.span_count)],
      ["judgeModel", json(row.model)],
      createdAt(row),
    ],
  },

  patterns: {
    columns: "patterns.id, patterns.key, patterns.document::text, patterns.created_at, patterns.updated_at",
    ...byId("patterns"),
    size: "octet_length(patterns.document::text)",
    members: (row) => [["key", json(row.key)], ["source", '"custom"'], createdAt(row), updatedAt(row)],
    document: (row) => row.document as string,
  },

  "custom-evaluators": {
    columns: `
      custom_evaluators.id, custom_evaluators.document::text, custom_evaluators.created_at,
      custom_evaluators.updated_at`,
    ...byId("custom_evaluators"),
    size: "octet_length(custom_evaluators.document::text)",
    members: (row) => [createdAt(row), updatedAt(row)],
    document: (row) => row.document as string,
  },

  "monitor-profiles": {
    columns: "profiles.id, profiles.agent_id, profiles.document::text, profiles.created_at, profiles.updated_at",
    ...byId("profiles"),
    size: "octet_length(profiles.document::text)",
    members: (row) => [["agentId", json(row.agent_id)], createdAt(row), updatedAt(row)],
    document: (row) => row.document as string,
  },
} as const satisfies Record<string, ExportedTable>;

export type ExportedEntity = keyof typeof exportedTables;
export type ExportStore = Store<ExportedEntity>;

/** Reads the rows that this service exports. */
export function createExportStore(database: Database): ExportStore {
  return createStore({ database, tables: exportedTables, pageRows: limits.exportPageRows });
}
