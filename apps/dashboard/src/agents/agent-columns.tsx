import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { FailureLink } from "../blocks/failure-link.tsx";
import type { Column } from "../ui/data-table.tsx";
import { formatCost, formatCount, formatDuration, formatShare } from "../ui/format.ts";
import { Badge, Time } from "../ui/page.tsx";
import { ShareBar } from "../ui/share-bar.tsx";
import type { ListedAgent } from "./join-agents.ts";
import type { Window } from "./rules.ts";

/** `since` is where the figures begin: links to their rows carry it. */
export function agentColumns(projectId: string, window: Window, since: string): readonly Column<ListedAgent>[] {
  const traces = ({ agentId }: ListedAgent) => ({
    from: since,
    source: "production" as const,
    ...(agentId !== null && { agent: agentId }),
  });
  const linked = (agent: ListedAgent, count: number | undefined, search: object): ReactNode =>
    count === undefined || count === 0 ? (
      formatCount(count)
    ) : (
      <Link
        to="/p/$projectId/traces"
        params={{ projectId }}
        search={{ ...traces(agent), ...search }}
        className="text-ink hover:text-accent"
      >
        {formatCount(count)}
      </Link>
    );
  return [
    {
      key: "name",
      header: "Agent",
      width: "minmax(9rem, 2fr)",
      cell: (agent) => (
        <span className="flex items-center gap-2">
          <AgentName agent={agent} projectId={projectId} window={window} />
          {!agent.isWatched && <Badge>not watched</Badge>}
        </span>
      ),
    },
    {
      key: "why",
      header: "Found most often",
      width: "minmax(8rem, 2fr)",
      cell: (agent) => <MainFailure agent={agent} since={since} />,
    },
    {
      key: "runs",
      header: "Runs",
      width: "4rem",
      align: "right",
      cell: (agent) => linked(agent, agent.figures?.totalRuns, {}),
    },
    {
      key: "failing",
      header: "Failing",
      width: "4rem",
      align: "right",
      cell: (agent) => linked(agent, agent.figures?.failingRuns, { rating: "failing" }),
    },
    {
      key: "rate",
      header: "Rate",
      width: "8rem",
      align: "right",
      cell: ({ figures }) => <ShareBar share={figures?.failureRate} />,
    },
    {
      key: "p95",
      header: "p95",
      width: "6.5rem",
      align: "right",
      cell: ({ figures }) => formatDuration(figures?.latencyP95),
    },
    {
      key: "cost",
      header: "Cost",
      width: "5rem",
      align: "right",
      cell: ({ figures }) => formatCost(figures?.costUSD),
    },
    {
      key: "last",
      header: "Last trace",
      width: "6rem",
      align: "right",
      cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} isAge />,
    },
  ];
}

interface Part {
  agent: ListedAgent;
  projectId: string;
  window: Window;
}

function AgentName({ agent: { agentId, name }, projectId, window }: Part) {
  if (agentId === null) return <span className="text-faint">{name}</span>;
  return (
    <Link
      to="/p/$projectId/agents/$agentId"
      params={{ projectId, agentId }}
      search={{ window }}
      className="truncate font-medium text-ink hover:text-accent"
    >
      {name}
    </Link>
  );
}

function MainFailure({ agent: { agentId, figures }, since }: { agent: ListedAgent; since: string }) {
  const main = figures?.mainFailure;
  if (main == null) return <span className="text-faint">-</span>;
  return (
    <span className="flex items-center gap-2">
      <span className="truncate">
        <FailureLink patternKey={main.patternKey} agentId={agentId} from={since} />
      </span>
      <span className="text-faint tabular-nums">{formatCount(main.count)}x</span>
    </span>
  );
}

/** Where the window is narrow. */
export function AgentCard({ agent, projectId, window, since }: Part & { since: string }) {
  const { figures } = agent;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <AgentName agent={agent} projectId={projectId} window={window} />
        {!agent.isWatched && <Badge>not watched</Badge>}
        <span className="ml-auto text-faint">
          <Time iso={agent.lastSeenAt} isAge />
        </span>
      </div>
      <div className="truncate text-soft tabular-nums">
        {figures === undefined
          ? "did not run"
          : `${formatCount(figures.totalRuns)} runs · ${formatShare(figures.failureRate)} failing · p95 ${formatDuration(figures.latencyP95)} · ${formatCost(figures.costUSD)}`}
      </div>
      <MainFailure agent={agent} since={since} />
    </div>
  );
}
