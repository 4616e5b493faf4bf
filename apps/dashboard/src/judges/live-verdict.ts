import type { Verdict } from "../blocks/verdict.ts";

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
}

/** The verdict behind a live rating. */
export function verdictOfLive(said: LiveRating, evaluatorId: string): Verdict {
  return {
    key: said.id,
    verdictId: said.verdictId,
    scorer: { kind: "judge", name: null, settingsId: null, evaluatorId, version: said.scorerVersion },
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
