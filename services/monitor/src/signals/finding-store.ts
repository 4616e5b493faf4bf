import { limits } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import type { Finding, FindingStore, RaisedFinding, RaisedSignal } from "../model/finding.ts";
import type { PublicAddress } from "../webhooks/public-address.ts";
import { announceSignal } from "./announce-signal.ts";

/** Represents no agent, so that there is one signal per project, key and agent in that case, too. */
export const noAgent = "00000000-0000-0000-0000-000000000000";

/** `publicAddress`: the base of links in messages; null: unknown. */
export function createFindingStore({ publicAddress }: { publicAddress: PublicAddress | null }): FindingStore {
  const store: FindingStore = {
    async record(transaction, projectId, finding, signal) {
      const isNew = await insertEvent(transaction, projectId, finding);
      if (isNew && signal !== null) await store.raise(transaction, projectId, finding, signal);
    },

    async raise(transaction, projectId, finding, signal) {
      const raised = await raiseSignal(transaction, projectId, finding, signal);
      await insertOccurrence(transaction, projectId, raised.id, finding, signal);
      if (raised.occurrenceCount > limits.signalOccurrencesKept) {
        await trimOccurrences(transaction, projectId, raised.id);
      }
      if (finding.polarity !== "failure") return;
      const announced = {
        projectId,
        ...raised,
        patternKey: finding.patternKey,
        type: signal.type,
        polarity: finding.polarity,
        summary: signal.summary,
        rootCause: signal.rootCause,
        agentId: finding.agentId,
        traceId: finding.traceId,
        sessionId: finding.sessionId,
        seenAt: finding.createdAt,
      };
      await announceSignal(transaction, announced, publicAddress);
    },
  };
  return store;
}

/** False when it was already recorded. */
async function insertEvent(transaction: Queryable, projectId: string, finding: Finding): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: "event_record",
    text: `
      insert into monitor.events
        (project_id, id, pattern_key, kind, polarity, severity, agent_id, trace_id, session_id, rating, justification,
         created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      on conflict do nothing`,
    values: [
      projectId,
      uuidv7(Date.parse(finding.createdAt)),
      finding.patternKey,
      finding.kind,
      finding.polarity,
      finding.severity,
      finding.agentId,
      finding.traceId,
      finding.sessionId,
      finding.rating,
      finding.justification,
      finding.createdAt,
    ],
  });
  return rowCount === 1;
}

/**
 * One row per key and agent: the count is incremented in the row itself, so that no concurrent occurrence is lost. The newest
 * occurrence sets the text, and the severity unless a person set it; an archived signal is reopened.
 */
async function raiseSignal(transaction: Queryable, projectId: string, finding: RaisedFinding, signal: RaisedSignal) {
  const evidence = {
    traceId: finding.traceId,
    sessionId: finding.sessionId,
    query: signal.query,
    responsePreview: signal.responsePreview,
    rating: finding.rating,
    justification: finding.justification,
  };
  const { rows } = await transaction.query<RaisedRow>({
    name: "signal_raise",
    text: `
      insert into monitor.signals as signals
        (project_id, id, pattern_key, agent_id, type, severity, polarity, summary, root_cause, evidence, occurrence_count,
         first_seen_at, last_seen_at, created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11, now(), now())
      on conflict (project_id, pattern_key, agent_id) do update
      set occurrence_count = signals.occurrence_count + 1,
          type = excluded.type,
          severity = case
            when not signals.severity_by_person and excluded.last_seen_at >= signals.last_seen_at then excluded.severity
            else signals.severity end,
          polarity = excluded.polarity,
          status = case when signals.status = 'archived' then 'reopened' else signals.status end,
          summary = case when excluded.last_seen_at >= signals.last_seen_at then excluded.summary else signals.summary end,
          root_cause = case
            when excluded.last_seen_at >= signals.last_seen_at then excluded.root_cause else signals.root_cause end,
          evidence = case
            when excluded.last_seen_at >= signals.last_seen_at then excluded.evidence else signals.evidence end,
          first_seen_at = least(signals.first_seen_at, excluded.first_seen_at),
          last_seen_at = greatest(signals.last_seen_at, excluded.last_seen_at),
          updated_at = now()
      returning new.id, new.severity, new.status, new.occurrence_count as n,
                old.status is not distinct from 'archived' as was_reopened`,
    values: [
      projectId,
      uuidv7(Date.now()),
      finding.patternKey,
      finding.agentId ?? noAgent,
      signal.type,
      finding.severity,
      finding.polarity,
      signal.summary,
      signal.rootCause,
      JSON.stringify(evidence),
      finding.createdAt,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("a signal was raised and none came back");
  return {
    id: row.id,
    severity: row.severity,
    status: row.status,
    occurrenceCount: Number(row.n),
    wasReopened: row.was_reopened,
  };
}

type RaisedRow = { id: string; severity: Finding["severity"]; status: string; n: string; was_reopened: boolean };

async function insertOccurrence(
  transaction: Queryable,
  projectId: string,
  signalId: string,
  finding: RaisedFinding,
  signal: RaisedSignal,
): Promise<void> {
  await transaction.query({
    name: "signal_occurrence_record",
    text: `
      insert into monitor.signal_occurrences
        (project_id, signal_id, id, trace_id, session_id, seen_at, query, response_preview, rating, justification,
         record_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      projectId,
      signalId,
      uuidv7(Date.parse(finding.createdAt)),
      finding.traceId,
      finding.sessionId,
      finding.createdAt,
      signal.query,
      signal.responsePreview,
      finding.rating,
      finding.justification,
      finding.recordId ?? null,
    ],
  });
}

async function trimOccurrences(transaction: Queryable, projectId: string, signalId: string): Promise<void> {
  await transaction.query({
    name: "signal_occurrences_trim",
    text: `
      delete from monitor.signal_occurrences
      where project_id = $1
        and signal_id = $2
        and id in (
          select id
          from monitor.signal_occurrences
          where project_id = $1
            and signal_id = $2
          order by seen_at desc, id desc
          offset $3
        )
        and not exists (
          select
          from monitor.signal_feedback as said
          where said.project_id = $1
            and said.signal_id = $2
            and said.occurrence_id = signal_occurrences.id
            and said.corrected_score is not null
        )`,
    values: [projectId, signalId, limits.signalOccurrencesKept],
  });
}
