import { Link } from "@tanstack/react-router";
import type { Column } from "../ui/data-table.tsx";
import { formatCost, formatCount, formatDuration, unknown } from "../ui/format.ts";
import { ErrorIcon } from "../ui/icons.tsx";
import { Badge, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import type { TraceRow } from "./list-queries.ts";
import { SelectAllBox, SelectBox, useShowWhy } from "./selection.tsx";
import { textLine } from "./text-line.ts";

interface TraceColumn extends Column<TraceRow> {
  /** The name in the menu of columns. */
  label: string;
  /** The default visibility: always, only without an open panel, or never. */
  isShown: "always" | "with room" | "on demand";
}

/** Every column except the checkboxes, in order. */
export function traceColumns(projectId: string): readonly TraceColumn[] {
  const columns: Omit<TraceColumn, "header">[] = [
    {
      key: "time",
      label: "Time",
      width: "6.25rem",
      isShown: "always",
      cell: ({ _id, createdAt }) => (
        <Link to="/p/$projectId/traces/$traceId" params={{ projectId, traceId: _id }} className="text-soft">
          <Time iso={createdAt} />
        </Link>
      ),
    },
    {
      key: "agent",
      label: "Agent",
      width: "minmax(6rem,1fr)",
      isShown: "always",
      cell: ({ name, trafficSource }) => (
        <>
          {name} {trafficSource !== undefined && <Badge>run</Badge>}
        </>
      ),
    },
    {
      key: "input",
      label: "Input",
      width: "minmax(8rem,3fr)",
      isShown: "always",
      cell: ({ input }) => textLine(input) ?? unknown,
    },
    {
      key: "output",
      label: "Output",
      width: "minmax(8rem,3fr)",
      isShown: "always",
      cell: (row) => <Output row={row} />,
    },
    {
      key: "rating",
      label: "Rating",
      width: "4rem",
      isShown: "always",
      cell: ({ _id, judgeScores }) => <WhyRating id={_id} judgeScores={judgeScores} />,
    },
    {
      key: "latency",
      label: "Latency",
      width: "5rem",
      align: "right",
      isShown: "with room",
      cell: ({ latencyMs }) => formatDuration(latencyMs),
    },
    {
      key: "tokens",
      label: "Tokens",
      width: "4.5rem",
      align: "right",
      isShown: "with room",
      cell: (row) => formatCount(tokensOf(row)),
    },
    {
      key: "cost",
      label: "Cost",
      width: "4.5rem",
      align: "right",
      isShown: "with room",
      cell: ({ costUSD }) => formatCost(costUSD),
    },
    {
      key: "model",
      label: "Model",
      width: "minmax(6rem,1fr)",
      isShown: "on demand",
      cell: ({ model }) => model ?? unknown,
    },
    {
      key: "framework",
      label: "Framework",
      width: "minmax(5rem,0.8fr)",
      isShown: "on demand",
      cell: ({ framework }) => framework ?? unknown,
    },
    {
      key: "session",
      label: "Session",
      width: "minmax(6rem,1fr)",
      isShown: "on demand",
      cell: ({ sessionId }) =>
        sessionId === undefined ? (
          unknown
        ) : (
          <Link to="/p/$projectId/sessions/$sessionId" params={{ projectId, sessionId }} className="text-ink">
            {sessionId}
          </Link>
        ),
    },
    {
      key: "spans",
      label: "Spans",
      width: "3.5rem",
      align: "right",
      isShown: "on demand",
      cell: ({ spanCount }) => formatCount(spanCount),
    },
  ];
  return columns.map((column) => ({ ...column, header: column.label }));
}

export const selectColumn: Column<TraceRow> = {
  key: "select",
  header: <SelectAllBox />,
  width: "1rem",
  cell: ({ _id, name }) => <SelectBox id={_id} name={name} />,
};

/** The agent's answer, or its error. */
export function Output({ row: { error, output } }: { row: TraceRow }) {
  if (error === undefined) return textLine(output) ?? unknown;
  return (
    <span className="text-bad">
      <ErrorIcon className="mr-1 inline size-3.5 align-[-2px]" />
      <span className="sr-only">Failed: </span>
      {textLine(error)}
    </span>
  );
}

/** The headline rating of live judging; `onWhy` makes it a button. */
export function Rating({ judgeScores, onWhy }: Pick<TraceRow, "judgeScores"> & { onWhy?: () => void }) {
  if (judgeScores === null) return <span className="text-faint">{unknown}</span>;
  const { rating, threshold, scorerName } = judgeScores;
  return <Score rating={rating} threshold={threshold} scorer={scorerName} onWhy={onWhy} />;
}

function WhyRating({ id, judgeScores }: Pick<TraceRow, "judgeScores"> & { id: string }) {
  const showWhy = useShowWhy();
  return <Rating judgeScores={judgeScores} onWhy={() => showWhy(id)} />;
}

/** Input and output together; null if neither is known. */
export function tokensOf({ inputTokens, outputTokens }: Pick<TraceRow, "inputTokens" | "outputTokens">): number | null {
  return inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);
}

/** The keys of the visible columns: the chosen ones, else the defaults. */
export function shownColumns(
  columns: readonly TraceColumn[],
  { chosen, hasRoom }: { chosen: readonly string[] | undefined; hasRoom: boolean },
): ReadonlySet<string> {
  const kept = columns.filter(({ key, isShown }) =>
    chosen === undefined ? isShown === "always" || (hasRoom && isShown === "with room") : chosen.includes(key),
  );
  return new Set(kept.map(({ key }) => key));
}
