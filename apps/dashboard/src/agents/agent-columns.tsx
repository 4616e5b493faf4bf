import { Link } from "@tanstack/react-router";
import { FailureLink } from "../blocks/failure-link.tsx";
import { type CountedTraces, slowerThan, someOf, TracesLink } from "../blocks/traces-link.tsx";
import type { Column } from "../ui/data-table.tsx";
import { countOf, formatCost, formatCount, formatDuration, formatShare } from "../ui/format.ts";
import { Badge, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { ShareBar } from "../ui/share-bar.tsx";
import type { ListedAgent } from "./join-agents.ts";
import type { Window } from "./rules.ts";

/** The traces behind the figures of an agent; undefined where there are none, and for those that name no agent. */
function tracesOf({ agentId, figures }: ListedAgent, since: string) {
  // No filter lists the traces that name no agent.
  const all: CountedTraces | undefined = agentId === null ? undefined : { from: since, agent: agentId };
  const runs: CountedTraces | undefined = all && { ...all, source: "production" };
  return {
    runs: someOf(runs, figures?.totalRuns),
    failing: someOf(runs && { ...runs, rating: "failing" }, figures?.failingRuns),
    rated: someOf(runs && { ...runs, rating: "rated" }, figures?.ratings),
    slow: slowerThan(runs, figures?.latencyP95),
    priced: someOf(all, figures?.costUSD),
  };
}

/** `since` is where the figures begin: links to their rows carry it. */
export function agentColumns(projectId: string, window: Window, since: string): readonly Column<ListedAgent>[] {
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
      cell: (agent) => (
        <TracesLink traces={tracesOf(agent, since).runs}>{formatCount(agent.figures?.totalRuns)}</TracesLink>
      ),
    },
    {
      key: "failing",
      header: "Failing",
      width: "4rem",
      align: "right",
      cell: (agent) => (
        <TracesLink traces={tracesOf(agent, since).failing}>{formatCount(agent.figures?.failingRuns)}</TracesLink>
      ),
    },
    {
      key: "rate",
      header: "Rate",
      width: "8rem",
      align: "right",
      cell: (agent) => (
        <TracesLink traces={tracesOf(agent, since).failing}>
          <ShareBar share={agent.figures?.failureRate} />
        </TracesLink>
      ),
    },
    {
      key: "rating",
      header: "Rating",
      width: "4.5rem",
      align: "right",
      cell: (agent) => <MeanRating agent={agent} since={since} />,
    },
    {
      key: "p95",
      header: "p95",
      width: "6.5rem",
      align: "right",
      cell: (agent) => (
        <TracesLink traces={tracesOf(agent, since).slow}>{formatDuration(agent.figures?.latencyP95)}</TracesLink>
      ),
    },
    {
      key: "cost",
      header: "Cost",
      width: "5rem",
      align: "right",
      cell: (agent) => (
        <TracesLink traces={tracesOf(agent, since).priced}>{formatCost(agent.figures?.costUSD)}</TracesLink>
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
}

function MeanRating({ agent, since }: { agent: ListedAgent; since: string }) {
  const { figures } = agent;
  return (
    <TracesLink traces={tracesOf(agent, since).rated}>
      <Score rating={figures?.meanRating} scorer={`mean of ${formatCount(figures?.ratings ?? 0)} ratings`} />
    </TracesLink>
  );
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
  const traces = tracesOf(agent, since);
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
        {figures === undefined ? (
          "did not run"
        ) : (
          <>
            <TracesLink traces={traces.runs} isInText>
              {countOf(figures.totalRuns, "run")}
            </TracesLink>
            {" · "}
            <TracesLink traces={traces.failing} isInText>
              {formatShare(figures.failureRate)} failing
            </TracesLink>
            {" · "}
            <TracesLink traces={traces.slow} isInText>
              p95 {formatDuration(figures.latencyP95)}
            </TracesLink>
            {" · "}
            <TracesLink traces={traces.priced} isInText>
              {formatCost(figures.costUSD)}
            </TracesLink>
          </>
        )}
      </div>
      {figures?.mainFailure != null && <MainFailure agent={agent} since={since} />}
    </div>
  );
}
