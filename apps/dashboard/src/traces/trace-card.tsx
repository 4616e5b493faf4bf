import { formatCost, formatCount, formatDuration, unknown } from "../ui/format.ts";
import { Time } from "../ui/page.tsx";
import { Output, Rating, tokensOf } from "./list-columns.tsx";
import type { TraceRow } from "./list-queries.ts";
import { textLine } from "./text-line.ts";

/** The height of a card in pixels. */
export const cardHeight = 92;

/** A row of the list in a narrow window. */
export function TraceCard({ row }: { row: TraceRow }) {
  const tokens = tokensOf(row);
  return (
    <div className="flex flex-col">
      <div className="flex items-center gap-2 text-xs text-soft">
        <span className="min-w-0 truncate font-medium text-ink">{row.name}</span>
        <span className="ml-auto" />
        {row.judgeScores !== null && <Rating judgeScores={row.judgeScores} />}
        <Time iso={row.createdAt} />
      </div>
      <div className="truncate">{textLine(row.input) ?? unknown}</div>
      <div className="truncate text-soft">
        <Output row={row} />
      </div>
      <div className="truncate text-xs text-faint tabular-nums">
        {[
          formatDuration(row.latencyMs),
          tokens !== null && `${formatCount(tokens)} tokens`,
          row.costUSD != null && formatCost(row.costUSD),
          row.model,
        ]
          .filter(Boolean)
          .join(" · ")}
      </div>
    </div>
  );
}
