import { useQuery } from "@tanstack/react-query";
import { ScoreList, ScoreValue } from "../blocks/score-list.tsx";
import { useApi } from "../shell/session.tsx";
import type { ResultRow } from "./case-rows.ts";
import { runScoresQuery, traceScoresQuery } from "./queries.ts";

/** What clients say of the run as a whole. */
export function RunScores({ runId }: { runId: string }) {
  const { data: scores = [] } = useQuery(runScoresQuery(useApi(), runId));
  if (scores.length === 0) return null;
  return (
    <ul aria-label="Scores of the run" className="m-0 flex list-none flex-wrap gap-2 p-0">
      {scores.map(({ id, name, value, comment }) => (
        <li
          key={id}
          title={comment ?? undefined}
          className="flex min-w-0 items-baseline gap-2 rounded-sm border border-line bg-panel px-2.5 py-1 text-soft"
        >
          <span className="truncate">{name}</span>
          <ScoreValue value={value} />
        </li>
      ))}
    </ul>
  );
}

/** What clients say of the trace of a result. */
export function TraceScores({ result: { traceId, skipCode } }: { result: ResultRow }) {
  const isThere = traceId !== null && skipCode !== "awaiting_output";
  const { data: scores = [] } = useQuery({ ...traceScoresQuery(useApi(), traceId ?? ""), enabled: isThere });
  return scores.length === 0 ? null : <ScoreList title="Scores of the client" scores={scores} />;
}
