import { type GroupJudge, tracesJudged } from "@touchstone/contracts";
import { enqueueEvent, type Queryable } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import type { z } from "zod";
import { healthy } from "../traces/classify.ts";
import { judgeScoresOf } from "./judge-scores.ts";

type Topic = z.infer<typeof tracesJudged.body>["traces"][number]["topic"];

/** A scorer's verdict on a trace. */
export interface NewVerdict {
  traceId: string;
  agentId: string | null;
  scorerKey: string;
  scorerName: string;
  /** The version of its rubric; null if it has no versions. */
  scorerVersion: number | null;
  isGroup: boolean;
  rating: number;
  threshold: number | null;
  justification: string | null;
  model: string | null;
  /** The id of the judge's record; absent or null: there is none. */
  recordId?: string | null;
  /** Only for a group of judges. */
  judges?: readonly GroupJudge[] | null;
}

/** Stores a verdict, replacing the scorer's previous one on the trace. Returns its id. */
export async function recordVerdict(transaction: Queryable, projectId: string, verdict: NewVerdict): Promise<string> {
  const id = uuidv7(Date.now());
  await transaction.query({
    name: "verdict_put",
    text: `
      insert into monitor.verdicts
        (project_id, trace_id, scorer_key, id, scorer_name, scorer_version, is_group, rating, threshold, justification,
         model, agent_id, record_id, judges, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, now())
      on conflict (project_id, trace_id, scorer_key) do update
      set id = excluded.id,
          scorer_name = excluded.scorer_name,
          scorer_version = excluded.scorer_version,
          is_group = excluded.is_group,
          rating = excluded.rating,
          threshold = excluded.threshold,
          justification = excluded.justification,
          model = excluded.model,
          agent_id = excluded.agent_id,
          record_id = excluded.record_id,
          judges = excluded.judges,
          created_at = excluded.created_at`,
    values: [
      projectId,
      verdict.traceId,
      verdict.scorerKey,
      id,
      verdict.scorerName,
      verdict.scorerVersion,
      verdict.isGroup,
      verdict.rating,
      verdict.threshold,
      verdict.justification,
      verdict.model,
      verdict.agentId,
      verdict.recordId ?? null,
      verdict.judges ? JSON.stringify(verdict.judges) : null,
    ],
  });
  return id;
}

interface JudgedRow extends Record<string, unknown> {
  trace_id: string;
  revision: number;
  topic: Topic;
  failure: string | null;
}

interface VerdictRow extends Record<string, unknown> {
  trace_id: string;
  scorer_key: string;
  scorer_name: string;
  is_group: boolean;
  rating: number;
  threshold: number | null;
}

/**
 * Announces a trace's verdicts to ingest, within the transaction that changed it; call it last. Other changes of the same trace
 * wait here, so the greatest revision includes all verdicts. `topic` undefined: unchanged.
 */
export function announceJudgedTrace(
  transaction: Queryable,
  projectId: string,
  traceId: string,
  topic?: NonNullable<Topic>,
): Promise<void> {
  return announce(transaction, projectId, [traceId], topic ?? null);
}

/** The number of traces in one event: messages are bounded. */
const announcedAtOnce = 200;

/** The same for many traces, if only their operational class changed. */
export async function announceJudgedTraces(
  transaction: Queryable,
  projectId: string,
  traces: readonly { traceId: string }[],
): Promise<void> {
  const traceIds = [...new Set(traces.map(({ traceId }) => traceId))].toSorted();
  for (let from = 0; from < traceIds.length; from += announcedAtOnce) {
    await announce(transaction, projectId, traceIds.slice(from, from + announcedAtOnce), null);
  }
}

async function announce(
  transaction: Queryable,
  projectId: string,
  traceIds: readonly string[],
  topic: Topic,
): Promise<void> {
  const { rows: judged } = await transaction.query<JudgedRow>({
    name: "judged_traces_revise",
    text: `
      insert into monitor.judged_traces as judged (project_id, trace_id, revision, topic, classified_at)
      select $1, trace_id, 1, $3::json, case when $3::json is not null then now() end
      from unnest($2::uuid[]) as told (trace_id)
      order by trace_id
      on conflict (project_id, trace_id) do update
      set revision = judged.revision + 1,
          topic = coalesce(excluded.topic, judged.topic),
          classified_at = coalesce(excluded.classified_at, judged.classified_at),
          updated_at = now()
      returning trace_id, revision, topic, (
        select nullif(operational_class, '${healthy}')
        from monitor.seen_traces
        where seen_traces.project_id = judged.project_id
          and seen_traces.trace_id = judged.trace_id
      ) as failure`,
    values: [projectId, traceIds, topic === null ? null : JSON.stringify(topic)],
  });
  const { rows: verdicts } = await transaction.query<VerdictRow>({
    name: "verdicts_of_traces",
    text: `
      select trace_id, scorer_key, scorer_name, is_group, rating, threshold
      from monitor.verdicts
      where project_id = $1
        and trace_id = any ($2::uuid[])
      order by created_at, scorer_key`,
    values: [projectId, traceIds],
  });
  const byTrace = Map.groupBy(verdicts, (row) => row.trace_id);
  const traces = judged.map(({ trace_id: traceId, revision, topic: kept, failure }) => ({
    projectId,
    traceId,
    revision,
    judgeScores: judgeScoresOf((byTrace.get(traceId) ?? []).map(readVerdict)),
    topic: kept,
    failure,
  }));
  await enqueueEvent(transaction, "monitor", { event: tracesJudged, body: { traces } });
}

const readVerdict = (row: VerdictRow) => ({
  scorerKey: row.scorer_key,
  scorerName: row.scorer_name,
  isGroup: row.is_group,
  rating: row.rating,
  threshold: row.threshold,
});
