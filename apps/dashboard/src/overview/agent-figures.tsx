import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type AgentFigure, agentFiguresQuery } from "../blocks/agent-figures-query.ts";
import { FailureLink } from "../blocks/failure-link.tsx";
import { slowerThan, someOf, TracesLink } from "../blocks/traces-link.tsx";
import { useApi } from "../shell/session.tsx";
import { formatCost, formatCount, formatDuration } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { ShareBar } from "../ui/share-bar.tsx";
import { Loaded } from "../ui/states.tsx";
import type { Window } from "./queries.ts";

/** The number of rows here; the agents' page shows all agents. */
const shownMost = 8;

/** The agents with the most failures first, each with its failures and a link to its traces. */
export function AgentFigures({ window }: { window: Window }) {
  const api = useApi();
  const figures = useQuery(agentFiguresQuery(api, window));
  return (
    <Section
      title="Agents"
      aside="those that fail most first"
      actions={
        <Link
          to="/p/$projectId/agents"
          params={{ projectId: api.projectId }}
          search={{ window }}
          className="text-accent"
        >
          All agents
        </Link>
      }
    >
      <Loaded query={figures}>
        {({ agents, since }) =>
          agents.length === 0 ? (
            <p className="m-0 text-soft">No agent ran in this window.</p>
          ) : (
            <table className="w-full table-fixed border-collapse text-left">
              <thead className="text-xs text-faint">
                <tr className="border-b border-line [&_th]:h-8 [&_th]:font-normal">
                  <th scope="col">Agent</th>
                  <th scope="col" className="max-md:hidden">
                    Found most often
                  </th>
                  <Right width="w-14">Runs</Right>
                  <Right width="w-16">Failing</Right>
                  <Right width="w-28">Rate</Right>
                  <Right width="w-16 max-md:hidden">Rating</Right>
                  <Right width="w-24 max-md:hidden">p95</Right>
                  <Right width="w-18 max-md:hidden">Cost</Right>
                </tr>
              </thead>
              <tbody>
                {agents.slice(0, shownMost).map((agent) => (
                  <AgentRow key={agent.agentId} agent={agent} since={since} window={window} />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Section>
  );
}

function Right({ width, children }: { width: string; children: ReactNode }) {
  return (
    <th scope="col" className={`text-right ${width}`}>
      {children}
    </th>
  );
}

function AgentRow({ agent, since, window }: { agent: AgentFigure; since: string; window: Window }) {
  const params = { projectId: useApi().projectId };
  const { agentId, name, totalRuns, failingRuns, failureRate, latencyP95, meanRating, ratings, costUSD, mainFailure } =
    agent;
  // No filter lists the traces that name no agent.
  const all = agentId === null ? undefined : { from: since, agent: agentId };
  const traces = all && { ...all, source: "production" as const };
  const failing = traces && { ...traces, rating: "failing" as const };
  const look = "text-ink hover:text-accent";
  const why = mainFailure && <FailureLink patternKey={mainFailure.patternKey} agentId={agentId} from={since} />;
  return (
    <tr className="h-9 border-b border-line max-md:h-14 [&_td]:tabular-nums">
      <td className="truncate">
        {agentId === null ? (
          <span className="text-faint">no agent</span>
        ) : (
          <Link to="/p/$projectId/agents/$agentId" params={{ ...params, agentId }} search={{ window }} className={look}>
            {name ?? agentId}
          </Link>
        )}
        <span className="block truncate text-soft md:hidden">{why}</span>
      </td>
      <td className="truncate pr-3 text-soft max-md:hidden">{why ?? "-"}</td>
      <td className="text-right">
        <TracesLink traces={traces}>{formatCount(totalRuns)}</TracesLink>
      </td>
      <td className="text-right">
        <TracesLink traces={someOf(failing, failingRuns)}>{formatCount(failingRuns)}</TracesLink>
      </td>
      <td className="text-right">
        <TracesLink traces={someOf(failing, failingRuns)}>
          <ShareBar share={failureRate} />
        </TracesLink>
      </td>
      <td className="text-right max-md:hidden">
        <TracesLink traces={someOf(traces && { ...traces, rating: "rated" }, ratings)}>
          <Score rating={meanRating} scorer={`mean of ${formatCount(ratings)} ratings`} />
        </TracesLink>
      </td>
      <td className="text-right max-md:hidden">
        <TracesLink traces={slowerThan(traces, latencyP95)}>{formatDuration(latencyP95)}</TracesLink>
      </td>
      <td className="text-right max-md:hidden">
        <TracesLink traces={someOf(all, costUSD)}>{formatCost(costUSD)}</TracesLink>
      </td>
    </tr>
  );
}
