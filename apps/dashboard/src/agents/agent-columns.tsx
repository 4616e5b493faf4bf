import { Link } from "@tanstack/react-router";
import type { Column } from "../ui/data-table.tsx";
import { formatCount, formatShare } from "../ui/format.ts";
import { Badge, Time } from "../ui/page.tsx";
import type { Window } from "./rules.ts";

export interface ListedAgent {
  _id: string;
  name: string;
  tracked: boolean;
  traceCount: number;
  lastSeenAt: string | null;
  /** Undefined where none of its runs failed. */
  figures: { totalRuns: number; failingRuns: number; failureRate: number | null } | undefined;
}

export const agentColumns = (projectId: string, window: Window): readonly Column<ListedAgent>[] => [
  {
    key: "name",
    header: "Agent",
    width: "minmax(10rem, 2fr)",
    cell: ({ _id, name, tracked }) => (
      <span className="flex items-center gap-2">
        <Link
          to="/p/$projectId/agents/$agentId"
          params={{ projectId, agentId: _id }}
          search={{ window }}
          className="truncate font-medium text-ink hover:text-accent"
        >
          {name}
        </Link>
        {!tracked && <Badge>not watched</Badge>}
      </span>
    ),
  },
  {
    key: "fails",
    header: "Failing",
    width: "5rem",
    align: "right",
    cell: ({ _id, figures }) =>
      figures === undefined ? (
        "-"
      ) : (
        <Link
          to="/p/$projectId/traces"
          params={{ projectId }}
          search={{ agent: _id, rating: "failing", from: window }}
          className="text-ink hover:text-accent"
        >
          {formatCount(figures.failingRuns)}
        </Link>
      ),
  },
  {
    key: "rate",
    header: "Rate",
    width: "5rem",
    align: "right",
    cell: ({ figures }) => formatShare(figures?.failureRate),
  },
  {
    key: "stored",
    header: "Traces stored",
    width: "7rem",
    align: "right",
    cell: ({ _id, traceCount }) => (
      <Link
        to="/p/$projectId/traces"
        params={{ projectId }}
        search={{ agent: _id }}
        className="text-ink hover:text-accent"
      >
        {formatCount(traceCount)}
      </Link>
    ),
  },
  {
    key: "last",
    header: "Last trace",
    width: "6rem",
    align: "right",
    cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} isAge />,
  },
];

export function AgentCard({ agent, projectId, window }: { agent: ListedAgent; projectId: string; window: Window }) {
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <Link
          to="/p/$projectId/agents/$agentId"
          params={{ projectId, agentId: agent._id }}
          search={{ window }}
          className="min-w-0 flex-1 truncate font-medium text-ink"
        >
          {agent.name}
        </Link>
        {!agent.tracked && <Badge>not watched</Badge>}
        <span className="text-faint">
          <Time iso={agent.lastSeenAt} isAge />
        </span>
      </div>
      <div className="text-soft tabular-nums">
        {formatShare(agent.figures?.failureRate)} failing · {formatCount(agent.traceCount)} traces stored
      </div>
    </div>
  );
}
