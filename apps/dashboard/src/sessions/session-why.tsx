import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Verdict } from "../blocks/verdict.ts";
import { verdictsOfSession } from "../blocks/verdict-sources.ts";
import { WhyPanel } from "../blocks/why-panel.tsx";
import { judgeScorersQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { sessionScoresQuery } from "./queries.ts";

/** The verdicts on a session as a whole, newest first. Its scores contain the key of their scorer, which has the name. */
export function useSessionVerdicts(sessionId: string): { verdicts: Verdict[]; isPending: boolean } {
  const api = useApi();
  const scores = useQuery(sessionScoresQuery(api, sessionId));
  const scorers = useQuery(judgeScorersQuery(api)).data;
  const verdicts = useMemo(
    () =>
      verdictsOfSession(scores.data ?? []).map((verdict) => {
        const { scorer } = verdict;
        const found = scorers?.find(({ online }) => online?.profileId === scorer.evaluatorId);
        return found === undefined ? verdict : { ...verdict, scorer: { ...scorer, name: found.name } };
      }),
    [scores.data, scorers],
  );
  return { verdicts, isPending: scores.isPending };
}

/** The explanation of a session's rating in the list of sessions. */
export function SessionWhy({ sessionId, onClose }: { sessionId: string; onClose(): void }) {
  const { verdicts, isPending } = useSessionVerdicts(sessionId);
  return !isPending && <WhyPanel verdicts={verdicts} onClose={onClose} />;
}
