import type { GroupJudge, ScorerRef, Verdict } from "../blocks/verdict.ts";

/** One rating by a live judge, from `listLiveRatingEvents`. */
export interface LiveRating {
  id: string;
  traceId: string | null;
  sessionId: string | null;
  rating: number;
  justification: string | null;
  createdAt: string;
  input: string | null;
  output: string | null;
  threshold: number | null;
  scorerVersion: number | null;
  model: string | null;
  verdictId: string | null;
  judges: GroupJudge[] | null;
}

/** What rated: a live judge or a live group, by the id under which it rates. */
export interface LiveScorer {
  kind: Extract<ScorerRef["kind"], "judge" | "group">;
  evaluatorId: string;
  threshold: number | null;
}

/** The verdict behind a live rating. */
export function verdictOfLive(said: LiveRating, { kind, evaluatorId }: LiveScorer): Verdict {
  return {
    key: said.id,
    verdictId: said.verdictId,
    scorer: { kind, name: null, settingsId: null, evaluatorId, version: said.scorerVersion },
    judges: said.judges,
    status: "scored",
    rating: said.rating,
    threshold: said.threshold,
    justification: said.justification,
    skipCode: null,
    source: null,
    model: said.model,
    createdAt: said.createdAt,
    traceId: said.traceId,
    sessionId: said.sessionId,
  };
}
