import { tracesJudged } from "@touchstone/contracts";
import { enqueueEvent, type Queryable } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import type { z } from "zod";
import { judgeScoresOf } from "./judge-scores.ts";

type Topic = z.infer<typeof tracesJudged.body>["traces"][number]["topic"];

/** What a scorer says of a trace. */
export interface NewVerdict {
  traceId: string;
  agentId: string | null;
  scorerKey: string;
  scorerName: string;
  /** Of its rubric; null where there are no versions. */
  scorerVersion: number | null;
  isGroup: boolean;
  rating: number;
  threshold: number | null;
  justification: string | null;
  model: string | null;
}

/** Stores a verdict, in the place of what the scorer said of the trace before. Answers its id. */
export async function recordVerdict(transaction: Queryable, projectId: string, verdict: NewVerdict): Promise<string> {
  const id = uuidv7(Date.now());
  await transaction.query({
    name: "verdict_put",
    text: `
      insert into monitor.verdicts
        (project_id, trace_id, scorer_key, id, scorer_name, scorer_version, is_group, rating, threshold, justification,
         model, agent_id, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now())
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
    ],
  });
  return id;
}

interface VerdictRow {
  scorer_key: string;
  scorer_name: string;
  is_group: boolean;
  rating: number;
  threshold: number | null;
}

/**
 * Tells ingest what is now said of a trace, within the transaction that changed it; to be called last in it. Whoever
 * changes the same trace waits here, so the greatest revision carries everybody's word. `topic` undefined: as it was.
 */
export async function announceJudgedTrace(
  transaction: Queryable,
  projectId: string,
  traceId: string,
  topic?: NonNullable<Topic>,
): Promise<void> {
  const { rows: judged } = await transaction.query<{ revision: number; topic: Topic }>({
    name: "judged_trace_revise",
    text: `
      insert into monitor.judged_traces as judged (project_id, trace_id, revision, topic, classified_at)
      values ($1, $2, 1, $3::json, case when $3::json is not null then now() end)
      on conflict (project_id, trace_id) do update
      set revision = judged.revision + 1,
          topic = coalesce(excluded.topic, judged.topic),
          classified_at = coalesce(excluded.classified_at, judged.classified_at),
          updated_at = now()
      returning revision, topic`,
    values: [projectId, traceId, topic === undefined ? null : JSON.stringify(topic)],
  });
  const { rows: verdicts } = await transaction.query<VerdictRow>({
    name: "verdicts_of_trace",
    text: `
      select scorer_key, scorer_name, is_group, rating, threshold
      from monitor.verdicts
      where project_id = $1
        and trace_id = $2
      order by created_at, scorer_key`,
    values: [projectId, traceId],
  });
  const judgeScores = judgeScoresOf(
    verdicts.map((row) => ({
      scorerKey: row.scorer_key,
      scorerName: row.scorer_name,
      isGroup: row.is_group,
      rating: row.rating,
      threshold: row.threshold,
    })),
  );
  const traces = judged.map(({ revision, topic: kept }) => ({
    projectId,
    traceId,
    revision,
    judgeScores,
    topic: kept,
  }));
  await enqueueEvent(transaction, "monitor", { event: tracesJudged, body: { traces } });
}
