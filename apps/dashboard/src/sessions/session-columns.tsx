import { Link } from "@tanstack/react-router";
import { TracesLink } from "../blocks/traces-link.tsx";
import type { Column } from "../ui/data-table.tsx";
import { countOf, formatCount, formatDuration, formatRating, unknown } from "../ui/format.ts";
import { Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import type { SessionRow, SessionWindow } from "./session-list.ts";

/** The columns of the list of sessions; memoize them by their parameters. A session's turns are counted in the window. */
export function sessionColumns(
  projectId: string,
  window: SessionWindow,
  onWhy: (sessionId: string) => void,
): readonly Column<SessionRow>[] {
  return [
    {
      key: "last",
      header: "Last turn",
      width: "6.25rem",
      cell: ({ lastAt }) => (
        <span className="text-soft">
          <Time iso={lastAt} />
        </span>
      ),
    },
    {
      key: "session",
      header: "Session",
      width: "minmax(8rem,1.2fr)",
      cell: ({ sessionId }) => (
        <Link
          to="/p/$projectId/sessions/$sessionId"
          params={{ projectId, sessionId }}
          className="text-ink hover:text-accent"
        >
          {sessionId}
        </Link>
      ),
    },
    {
      key: "question",
      header: "First question",
      width: "minmax(10rem,3fr)",
      cell: ({ firstInput }) => <span title={firstInput ?? undefined}>{firstInput ?? unknown}</span>,
    },
    { key: "agent", header: "Agent", width: "minmax(7rem,1fr)", cell: ({ agentName }) => agentName ?? unknown },
    {
      key: "rating",
      header: "Rating",
      width: "minmax(9rem,1.5fr)",
      cell: (row) => <Ratings row={row} onWhy={onWhy} />,
    },
    {
      key: "turns",
      header: "Turns",
      width: "4rem",
      align: "right",
      cell: ({ sessionId, turnCount }) => (
        <TracesLink traces={{ session: sessionId, from: window }}>{formatCount(turnCount)}</TracesLink>
      ),
    },
    { key: "spans", header: "Spans", width: "4.5rem", align: "right", cell: ({ spanCount }) => formatCount(spanCount) },
    { key: "errors", header: "Failed", width: "4rem", align: "right", cell: (row) => <Errors row={row} /> },
    {
      key: "work",
      header: "Work",
      width: "5.5rem",
      align: "right",
      cell: ({ totalLatencyMs }) => <span title="Of all turns together">{formatDuration(totalLatencyMs)}</span>,
    },
    {
      key: "span",
      header: "Lasted",
      width: "5.5rem",
      align: "right",
      cell: ({ firstAt, lastAt }) => (
        <span title="From the first turn to the end of the last">
          {formatDuration(Date.parse(lastAt) - Date.parse(firstAt))}
        </span>
      ),
    },
  ];
}

/** The newest rating by each judge of sessions. */
function Ratings({
  row: { sessionId, judgeRating, judgeName, judges },
  onWhy,
}: {
  row: SessionRow;
  onWhy(sessionId: string): void;
}) {
  if (judgeRating === null) return <span className="text-faint">{unknown}</span>;
  const others = judges.filter(({ name }) => name !== judgeName);
  return (
    <span
      className="inline-flex min-w-0 items-center gap-2"
      title={others.map(({ name, rating }) => `${name} ${formatRating(rating)}`).join(", ")}
    >
      <Score rating={judgeRating} scorer={judgeName ?? undefined} onWhy={() => onWhy(sessionId)} />
      <span className="truncate text-soft">{judgeName}</span>
      {others.length > 0 && <span className="text-faint">+{others.length}</span>}
    </span>
  );
}

function Errors({ row: { errorCount } }: { row: SessionRow }) {
  return errorCount === 0 ? (
    <span className="text-faint">0</span>
  ) : (
    <span className="text-bad">{formatCount(errorCount)}</span>
  );
}

/** In pixels. */
export const sessionCardHeight = 72;

/** A session in a narrow window. */
export function SessionCard({ row, onWhy }: { row: SessionRow; onWhy(sessionId: string): void }) {
  return (
    <div className="flex flex-col">
      <div className="flex items-center gap-2 text-xs text-soft">
        <span className="min-w-0 truncate font-medium text-ink">{row.agentName ?? "no agent"}</span>
        <span className="ml-auto" />
        {row.judgeRating !== null && (
          <Score rating={row.judgeRating} scorer={row.judgeName ?? undefined} onWhy={() => onWhy(row.sessionId)} />
        )}
        <Time iso={row.lastAt} />
      </div>
      <div className="truncate">{row.firstInput ?? row.sessionId}</div>
      <div className="truncate text-xs text-faint tabular-nums">
        {countOf(row.turnCount, "turn")} · {countOf(row.spanCount, "span")} · {formatDuration(row.totalLatencyMs)}
        {row.errorCount > 0 && <span className="text-bad"> · {formatCount(row.errorCount)} failed</span>}
      </div>
    </div>
  );
}
