import {
  type DashboardWindow,
  type GroupJudge,
  listStretches,
  type liveRatings,
  type Stretch,
  type sessionScores,
  type traceEvaluations,
} from "@touchstone/contracts";
import type { Database, Statement } from "@touchstone/db";
import type { z } from "zod";
import type { LiveScorerStore } from "./live-scorer-store.ts";

type TraceEvaluation = z.input<typeof traceEvaluations>["evaluations"][number];
type SessionScore = z.input<typeof sessionScores>["scores"][number];

/** One rating of a live scorer. */
export interface LiveRating {
  id: string;
  /** Null: the rating of a session. */
  traceId: string | null;
  sessionId: string | null;
  rating: number;
  justification: string | null;
  createdAt: string;
  /** The threshold at that time; null: it had none. */
  threshold: number | null;
  /** The version of its rubric; null if it has no versions. */
  scorerVersion: number | null;
  model: string | null;
  /** The id of the judge's record; null: there is none. */
  verdictId: string | null;
  /** The judges of a group; null for a judge, and if they were not stored. */
  judges: GroupJudge[] | null;
}

/** The position of a rating in the list: the rating, its time in microseconds since the epoch, and its id. */
export interface RatingPosition {
  rating: number;
  micros: string;
  id: string;
}

/** A page of the ratings of a period, in which `until` is exclusive; null: unlimited. */
export interface RatingsPage {
  since: Date;
  until: Date | null;
  limit: number;
  after: RatingPosition | null;
}

/** Reads the ratings of live judges and groups. */
export interface JudgementReader {
  /** The key of a live judge by its profile's id, or of a live group by its own id; null: there is none. */
  findScorerKey(projectId: string, id: string): Promise<string | null>;
  /** By the time of judging. */
  tally(projectId: string, scorerKey: string, of: { since: Date; stretch: Stretch }): Promise<RatingBucket[]>;
  /** Worst first; of equal ratings, newest first. `total` counts those of all pages. */
  listWorst(
    projectId: string,
    scorerKey: string,
    of: RatingsPage,
  ): Promise<{ total: number; ratings: { rating: LiveRating; position: RatingPosition }[] }>;
  listOfTrace(projectId: string, traceId: string): Promise<TraceEvaluation[]>;
  /** Newest first, at most 200. */
  listOfSession(projectId: string, sessionId: string): Promise<SessionScore[]>;
}

/** Verdicts on traces and scores of sessions, as one list. */
const ratingsOf = `
  select id, trace_id, null as session_id, rating, justification, created_at, threshold, scorer_version, model,
    record_id, judges
  from monitor.verdicts
  where project_id = $1 and scorer_key = $2 and created_at >= $3
  union all
  select id, null, session_id, rating, justification, created_at, threshold, null, model, record_id, judges
  from monitor.session_scores
  where project_id = $1 and scorer_key = $2 and created_at >= $3`;

export function createJudgementReader({
  database,
  liveScorers,
}: {
  database: Database;
  liveScorers: Pick<LiveScorerStore, "read">;
}): JudgementReader {
  return {
    async findScorerKey(projectId, id) {
      const { judges, groups } = await database.scoped([projectId], (open) => liveScorers.read(open, projectId));
      if (judges.some(({ profileId }) => profileId === id)) return `online-eval:${id}`;
      return groups.some(({ groupId }) => groupId === id) ? `scorer-group:${id}` : null;
    },

    async tally(projectId, scorerKey, { since, stretch }) {
      const { rows } = await database.readScoped<{ start: Date; average: number; count: number }>([projectId], {
        name: "live_ratings_tally",
        text: `
          select date_bin($4::interval, created_at, timestamptz 'epoch') as start, avg(rating)::double precision as average, count(*)::integer as count
          from (${ratingsOf}) as ratings
          group by 1`,
        values: [projectId, scorerKey, since, stretch],
      });
      return rows.map(({ start, average, count }) => ({ start, averageRating: average, count }));
    },

    async listWorst(projectId, scorerKey, page) {
      const { rows } = await database.readScoped<RatingRow & { micros: string; total: number }>(
        [projectId],
        selectWorst(projectId, scorerKey, page),
      );
      return {
        total: rows[0]?.total ?? 0,
        ratings: rows.filter(({ id }) => id !== null).map(readRating),
      };
    },

    async listOfTrace(projectId, traceId) {
      const { rows } = await database.readScoped<VerdictRow>([projectId], {
        name: "verdicts_list_of_trace",
        text: `
          select id, scorer_key, scorer_name, is_group, rating, justification, created_at, threshold, scorer_version,
                 model, record_id, judges
          from monitor.verdicts
          where project_id = $1
            and trace_id = $2
            and (scorer_key like 'online-eval:%' or is_group)
          order by created_at, scorer_key`,
        values: [projectId, traceId],
      });
      return rows.map(readEvaluation);
    },

    async listOfSession(projectId, sessionId) {
      const { rows } = await database.readScoped<ScoreRow>([projectId], {
        name: "session_scores_list",
        text: `
          select id, scorer_key, scorer_name, rating, threshold, justification, span_count, model, record_id, judges,
                 created_at
          from monitor.session_scores
          where project_id = $1
            and session_id = $2
          order by created_at desc, id desc
          limit 200`,
        values: [projectId, sessionId],
      });
      return rows.map((row) => readScore(row, sessionId));
    },
  };
}

const selectWorst = (projectId: string, scorerKey: string, { since, until, limit, after }: RatingsPage): Statement => ({
  name: "live_ratings_worst",
  text: `
    with matching as (
      select *
      from (${ratingsOf}) as ratings
      where created_at < coalesce($4::timestamptz, 'infinity')
    )
    select page.*, counts.total, (extract(epoch from page.created_at) * 1000000)::bigint::text as micros
    from (select count(*)::integer as total from matching) as counts
    left join lateral (
      select *
      from matching
      where $5::double precision is null
         or rating > $5
         or (rating = $5
             and (created_at, id) < (timestamptz 'epoch' + $6::bigint * interval '1 microsecond', $7::uuid))
      order by rating, created_at desc, id desc
      limit $8
    ) as page on true
    order by page.rating, page.created_at desc, page.id desc`,
  values: [projectId, scorerKey, since, until, after?.rating ?? null, after?.micros ?? null, after?.id ?? null, limit],
});

function readRating(row: RatingRow & { micros: string }): { rating: LiveRating; position: RatingPosition } {
  const rating = { ...readJudgement(row), traceId: row.trace_id, sessionId: row.session_id };
  return { rating, position: { rating: row.rating, micros: row.micros, id: row.id } };
}

const readEvaluation = (row: VerdictRow): TraceEvaluation => ({
  ...readJudgement(row),
  kind: row.is_group ? "group" : "judge",
  evaluatorId: row.scorer_key.slice(row.scorer_key.indexOf(":") + 1),
  evaluatorName: row.scorer_name,
});

const readJudgement = (row: JudgementRow) => ({
  id: row.id,
  rating: row.rating,
  justification: row.justification,
  createdAt: row.created_at.toISOString(),
  threshold: row.threshold,
  scorerVersion: row.scorer_version,
  model: row.model,
  verdictId: row.record_id,
  judges: row.judges,
});

const readScore = (row: ScoreRow, sessionId: string): SessionScore => ({
  _id: row.id,
  sessionId,
  kind: row.scorer_key,
  rating: row.rating,
  justification: row.justification,
  // Null for judges and groups, which read a conversation as a whole.
  driftSpanId: null,
  findings: [],
  spanCount: row.span_count,
  judgeModel: row.model,
  verdictId: row.record_id,
  judges: row.judges,
  scorerName: row.scorer_name,
  threshold: row.threshold,
  createdAt: row.created_at.toISOString(),
});

type JudgementRow = {
  id: string;
  rating: number;
  justification: string | null;
  created_at: Date;
  threshold: number | null;
  scorer_version: number | null;
  model: string | null;
  record_id: string | null;
  judges: GroupJudge[] | null;
};
type RatingRow = JudgementRow & { trace_id: string | null; session_id: string | null };
type VerdictRow = JudgementRow & { scorer_key: string; scorer_name: string; is_group: boolean };
type ScoreRow = Omit<JudgementRow, "scorer_version"> & { scorer_key: string; scorer_name: string; span_count: number };

type Point = z.infer<typeof liveRatings>["points"][number];

/** The ratings of one time bucket. */
interface RatingBucket {
  start: Date;
  averageRating: number;
  count: number;
}

/** A point for each bucket, oldest first, including empty ones. */
export function composePoints(window: DashboardWindow, now: number, buckets: readonly RatingBucket[]): Point[] {
  const byStart = new Map(buckets.map((bucket) => [bucket.start.getTime(), bucket]));
  return listStretches(window, now).map(({ start, label, ts }) => {
    const { averageRating = null, count = 0 } = byStart.get(start) ?? {};
    return { label, ts, averageRating, count };
  });
}
