import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { useApi } from "../shell/session.tsx";
import type { Verdict } from "./verdict.ts";
import { verdictsOfSession } from "./verdict-sources.ts";
import { judgeScorersQuery, sessionScoresQuery } from "./why-queries.ts";

/** Loads the verdicts on a session as a whole, newest first, each with the name that its scorer has now. */
export function useSessionVerdicts(sessionId: string) {
  const api = useApi();
  const scorers = useQuery(judgeScorersQuery(api)).data;
  const select = useCallback(
    (scores: Parameters<typeof verdictsOfSession>[0]): Verdict[] =>
      verdictsOfSession(scores).map((verdict) => {
        const { scorer } = verdict;
        const found = scorers?.find(({ online }) => online?.profileId === scorer.evaluatorId);
        return found === undefined ? verdict : { ...verdict, scorer: { ...scorer, name: found.name } };
      }),
    [scorers],
  );
  return useQuery({ ...sessionScoresQuery(api, sessionId), select });
}
