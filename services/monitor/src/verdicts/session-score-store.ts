import { type GroupJudge, sessionsJudged } from "@touchstone/contracts";
import { enqueueEvent, type Queryable } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { judgeScoresOf } from "./judge-scores.ts";

/** A scorer's score of a session, after a round of activity. */
export interface NewSessionScore {
  sessionId: string;
  scorerKey: string;
  scorerName: string;
  round: number;
  rating: number;
  threshold: number | null;
  justification: string;
  spanCount: number;
  model: string | null;
  /** The id of the judge's record; null: there is none. */
  recordId: string | null;
  /** Only for a group of judges. */
  judges: readonly GroupJudge[] | null;
}

/** Stores a score, once for each scorer and round. Returns its id. */
export async function insertSessionScore(
  transaction: Queryable,
  projectId: string,
  score: NewSessionScore,
): Promise<string> {
  const id = uuidv7(Date.now());
  await transaction.query({
    name: "session_score_insert",
    text: `
      insert into monitor.session_scores
        (project_id, id, session_id, scorer_key, round, scorer_name, rating, threshold, justification, span_count, model,
         record_id, judges)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
      on conflict (project_id, session_id, scorer_key, round) do nothing`,
    values: [
      projectId,
      id,
      score.sessionId,
      score.scorerKey,
      score.round,
      score.scorerName,
      score.rating,
      score.threshold,
      score.justification,
      score.spanCount,
      score.model,
      score.recordId,
      score.judges && JSON.stringify(score.judges),
    ],
  });
  return id;
}

type ScoreRow = {
  scorer_key: string;
  scorer_name: string;
  rating: number;
  threshold: number | null;
  checked_at: Date;
  revision: number;
};

/**
 * Announces a session's scores to ingest, within the transaction that added a score; call it last. Other scorers of the same
 * session wait here, and scores are never removed: their number is the revision, and the greatest one includes all scores.
 */
export async function announceJudgedSession(
  transaction: Queryable,
  projectId: string,
  sessionId: string,
): Promise<void> {
  await transaction.query({
    name: "judged_session_lock",
    text: "select pg_advisory_xact_lock(hashtextextended('touchstone judged session ' || $1::text || ' ' || $2::text, 0))",
    values: [projectId, sessionId],
  });
  const { rows } = await transaction.query<ScoreRow>({
    name: "judged_session_read",
    text: `
      select scorer_key, scorer_name, rating, threshold, checked_at, revision
      from (
        select distinct on (scorer_key) scorer_key, scorer_name, rating, threshold, created_at,
               max(created_at) over () as checked_at, (count(*) over ())::integer as revision
        from monitor.session_scores
        where project_id = $1
          and session_id = $2
        order by scorer_key, round desc
      ) as latest
      order by created_at, scorer_key`,
    values: [projectId, sessionId],
  });
  const scores = judgeScoresOf(
    rows.map((row) => ({
      scorerKey: row.scorer_key,
      scorerName: row.scorer_name,
      isGroup: row.scorer_key.startsWith("scorer-group:"),
      rating: row.rating,
      threshold: row.threshold,
    })),
  );
  const [first] = rows;
  if (scores === null || first === undefined) return;
  const session = {
    projectId,
    sessionId,
    revision: first.revision,
    rating: scores.rating,
    scorerName: scores.scorerName,
    checkedAt: first.checked_at.toISOString(),
    judges: rows.map(({ scorer_name, rating }) => ({ name: scorer_name, rating })),
  };
  await enqueueEvent(transaction, "monitor", { event: sessionsJudged, body: { sessions: [session] } });
}
