import type { Verdict } from "../blocks/verdict.ts";

/** One thing that a live judge said, as `listLiveRatingEvents` has it. */
export interface LiveRating {
  id: string;
  traceId: string | null;
  sessionId: string | null;
  rating: number;
  justification: string | null;
  createdAt: string;
  input: string | null;
  output: string | null;
  verdictId?: string | null;
}

/** The verdict behind a live rating, with the threshold that its judge has now. */
export function verdictOfLive(
  said: LiveRating,
  { evaluatorId, threshold }: { evaluatorId: string; threshold: number | null },
): Verdict {
  return {
    key: said.id,
    verdictId: said.verdictId ?? null,
    scorer: { kind: "judge", name: null, settingsId: null, evaluatorId, version: null },
    status: "scored",
    rating: said.rating,
    threshold,
    justification: said.justification,
    skipCode: null,
    source: null,
    model: null,
    createdAt: said.createdAt,
    traceId: said.traceId,
    sessionId: said.sessionId,
  };
}
