import type { ReceivedEvaluation } from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import { storableText } from "@touchstone/service-kit";
import { findAgentOfTrace } from "../traces/seen-trace-reader.ts";
import { selectDeletedProjects } from "../traces/settled-trace-store.ts";
import { type ExternalEvaluation, verdictOfEvaluations } from "./external-verdict.ts";
import { announceJudgedTrace, recordVerdict } from "./verdict-store.ts";

const nameMaxChars = 200;
const labelMaxChars = 200;
const justificationMaxChars = 4_000;

/**
 * Stores external evaluations of traces, and their verdict on each trace as a verdict of the scorer `external:<name>`.
 * Idempotent, in any order and number of parts; an unchanged verdict is not announced. If none can be rated any more, the
 * verdict is removed.
 */
export async function recordEvaluations(database: Database, sent: readonly ReceivedEvaluation[]): Promise<void> {
  const closed = await selectDeletedProjects(database, sent);
  const open = sent.filter(({ projectId }) => !closed.has(projectId));
  for (const ofTrace of Map.groupBy(open, ({ projectId, traceId }) => `${projectId} ${traceId}`).values()) {
    const [first] = ofTrace;
    if (first === undefined) continue;
    const { projectId, traceId } = first;
    await database.scoped([projectId], (transaction) => recordOfTrace(transaction, projectId, traceId, ofTrace));
  }
}

async function recordOfTrace(
  transaction: Queryable,
  projectId: string,
  traceId: string,
  sent: readonly ReceivedEvaluation[],
): Promise<void> {
  // Another part for the same trace may be in progress: a verdict includes all stored parts.
  await transaction.query({
    name: "external_evaluations_lock",
    text: "select pg_advisory_xact_lock(hashtextextended('touchstone external ' || $1::text || $2::text, 0))",
    values: [projectId, traceId],
  });
  await putEvaluations(transaction, projectId, traceId, sent);
  const names = [...new Set(sent.map(({ name }) => storableText(name, nameMaxChars)))];
  let isNews = false;
  for (const name of names) {
    isNews = (await settleVerdict(transaction, projectId, traceId, name)) || isNews;
  }
  if (isNews) await announceJudgedTrace(transaction, projectId, traceId);
}

/** Of one name and span the later one counts; at equal times the one that arrives last. */
async function putEvaluations(
  transaction: Queryable,
  projectId: string,
  traceId: string,
  sent: readonly ReceivedEvaluation[],
): Promise<void> {
  const newest = new Map<string, ReceivedEvaluation>();
  for (const each of sent) {
    const key = `${storableText(each.name, nameMaxChars)} ${each.otelSpanId}`;
    const known = newest.get(key);
    if (known === undefined || Date.parse(known.at) <= Date.parse(each.at)) newest.set(key, each);
  }
  const kept = [...newest.values()];
  await transaction.query({
    name: "external_evaluations_put",
    text: `
      insert into monitor.external_evaluations as known
        (project_id, trace_id, span_id, name, score, label, explanation, given_at)
      select $1::uuid, $2::uuid, sent.*
      from unnest($3::text[], $4::text[], $5::double precision[], $6::text[], $7::text[], $8::timestamptz[]) as sent
      on conflict (project_id, trace_id, name, span_id) do update
      set score = excluded.score,
          label = excluded.label,
          explanation = excluded.explanation,
          given_at = excluded.given_at
      where known.given_at <= excluded.given_at`,
    values: [
      projectId,
      traceId,
      kept.map(({ otelSpanId }) => storableText(otelSpanId, nameMaxChars)),
      kept.map(({ name }) => storableText(name, nameMaxChars)),
      kept.map(({ score }) => score),
      kept.map(({ label }) => label && storableText(label, labelMaxChars)),
      kept.map(({ explanation }) => explanation && storableText(explanation, justificationMaxChars)),
      kept.map(({ at }) => at),
    ],
  });
}

/** True if the verdict changed. */
async function settleVerdict(
  transaction: Queryable,
  projectId: string,
  traceId: string,
  name: string,
): Promise<boolean> {
  const scorerKey = `external:${name}`;
  const { rows } = await transaction.query<
    ExternalEvaluation & { rating: number | null; justification: string | null }
  >({
    name: "external_evaluations_read",
    text: `
      select known.span_id as "spanId", known.score, known.label, known.explanation, verdicts.rating,
             verdicts.justification
      from monitor.external_evaluations as known
      left join monitor.verdicts
        on verdicts.project_id = known.project_id and verdicts.trace_id = known.trace_id and verdicts.scorer_key = $4
      where known.project_id = $1
        and known.trace_id = $2
        and known.name = $3
      order by known.span_id`,
    values: [projectId, traceId, name, scorerKey],
  });
  const verdict = verdictOfEvaluations(rows);
  const stored = rows[0]?.rating ?? null;
  if (verdict === null) {
    if (stored !== null) await deleteVerdict(transaction, projectId, traceId, scorerKey);
    return stored !== null;
  }
  const justification = storableText(verdict.justification, justificationMaxChars);
  if (stored === verdict.rating && rows[0]?.justification === justification) return false;
  await recordVerdict(transaction, projectId, {
    traceId,
    agentId: await findAgentOfTrace(transaction, projectId, traceId),
    scorerKey,
    scorerName: name,
    scorerVersion: null,
    isGroup: false,
    rating: verdict.rating,
    threshold: null,
    justification,
    model: null,
  });
  return true;
}

async function deleteVerdict(
  transaction: Queryable,
  projectId: string,
  traceId: string,
  scorerKey: string,
): Promise<void> {
  await transaction.query({
    name: "verdict_delete",
    text: `
      delete from monitor.verdicts
      where project_id = $1
        and trace_id = $2
        and scorer_key = $3`,
    values: [projectId, traceId, scorerKey],
  });
}
