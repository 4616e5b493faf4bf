import { ScoreList } from "../blocks/score-list.tsx";
import { EmptyState } from "../ui/states.tsx";
import type { TraceDetail } from "./trace-queries.ts";

/** The scores of the selected span, and those of the trace where that is another one. */
export function ScoresTab({ span, trace }: { span: TraceDetail; trace: TraceDetail }) {
  const isRoot = span._id === trace._id;
  if (span.scores.length === 0 && (isRoot || trace.scores.length === 0)) {
    return (
      <EmptyState title="No scores yet">
        Clients send scores with POST /api/v1/scores: by people, by code or by models of their own.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-6">
      {span.scores.length > 0 && <ScoreList title={isRoot ? "Scores" : "Scores of the span"} scores={span.scores} />}
      {!isRoot && trace.scores.length > 0 && <ScoreList title="Scores of the trace" scores={trace.scores} />}
    </div>
  );
}
