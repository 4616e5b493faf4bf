import { Link } from "@tanstack/react-router";
import type { Column } from "../ui/data-table.tsx";
import { formatCount, formatDuration, unknown } from "../ui/format.ts";
import { ErrorIcon } from "../ui/icons.tsx";
import { Badge, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import type { TraceRow } from "./list-queries.ts";
import { SelectBox } from "./selection.tsx";
import { textLine } from "./text-line.ts";

interface TraceColumn extends Column<TraceRow> {
  /** In the menu of columns. */
  label: string;
  isShownAtFirst: boolean;
}

/** Every column but the boxes, in their order. */
export function traceColumns(projectId: string): readonly TraceColumn[] {
  return [
    {
      key: "time",
      label: "Time",
      header: "Time",
      width: "6.25rem",
      isShownAtFirst: true,
      cell: ({ _id, createdAt }) => (
        <Link to="/p/$projectId/traces/$traceId" params={{ projectId, traceId: _id }} className="text-soft">
          <Time iso={createdAt} />
        </Link>
      ),
    },
    {
      key: "agent",
      label: "Agent",
      header: "Agent",
      width: "minmax(6rem,1fr)",
      isShownAtFirst: true,
      cell: ({ name, trafficSource }) => (
        <>
          {name} {trafficSource !== undefined && <Badge>run</Badge>}
        </>
      ),
    },
    {
      key: "input",
      label: "Input",
      header: "Input",
      width: "minmax(8rem,3fr)",
      isShownAtFirst: true,
      cell: ({ input }) => textLine(input) ?? unknown,
    },
    {
      key: "output",
      label: "Output",
      header: "Output",
      width: "minmax(8rem,3fr)",
      isShownAtFirst: true,
      cell: (row) => <Output row={row} />,
    },
    {
      key: "rating",
      label: "Rating",
      header: "Rating",
      width: "4rem",
      isShownAtFirst: true,
      cell: (row) => <Rating row={row} />,
    },
    {
      key: "latency",
      label: "Latency",
      header: "Latency",
      width: "5rem",
      align: "right",
      isShownAtFirst: true,
      cell: ({ latencyMs }) => formatDuration(latencyMs),
    },
    {
      key: "tokens",
      label: "Tokens",
      header: "Tokens",
      width: "4.5rem",
      align: "right",
      isShownAtFirst: true,
      cell: (row) => formatCount(tokensOf(row)),
    },
    {
      key: "model",
      label: "Model",
      header: "Model",
      width: "minmax(6rem,1fr)",
      isShownAtFirst: false,
      cell: ({ model }) => model ?? unknown,
    },
    {
      key: "framework",
      label: "Framework",
      header: "Framework",
      width: "minmax(5rem,0.8fr)",
      isShownAtFirst: false,
      cell: ({ framework }) => framework ?? unknown,
    },
    {
      key: "session",
      label: "Session",
      header: "Session",
      width: "minmax(6rem,1fr)",
      isShownAtFirst: false,
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
      key: "tools",
      label: "Tool calls",
      header: "Tools",
      width: "3.5rem",
      align: "right",
      isShownAtFirst: false,
      cell: ({ toolCalls }) => formatCount(toolCalls?.length ?? 0),
    },
  ];
}

export const selectColumn: Column<TraceRow> = {
  key: "select",
  header: <span className="sr-only">Selected</span>,
  width: "1rem",
  cell: ({ _id, name }) => <SelectBox id={_id} name={name} />,
};

/** What the agent answered, or how it failed. */
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

export function Rating({ row: { judgeScores } }: { row: TraceRow }) {
  if (judgeScores === null) return <span className="text-faint">{unknown}</span>;
  const { rating, threshold, scorerName } = judgeScores;
  return <Score rating={rating} threshold={threshold} scorer={scorerName} />;
}

/** Of both directions; null where neither is known. */
export function tokensOf({ inputTokens, outputTokens }: TraceRow): number | null {
  return inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);
}
