import { useQuery } from "@tanstack/react-query";
import { agentFiguresQuery } from "../blocks/agent-figures-query.ts";
import { FailureLink } from "../blocks/failure-link.tsx";
import { slowerThan, someOf, TracesLink } from "../blocks/traces-link.tsx";
import { useApi } from "../shell/session.tsx";
import { ChartCursor } from "../ui/charts/chart-cursor.tsx";
import { formatCost, formatCount, formatDuration, formatShare } from "../ui/format.ts";
import { Section, Stat, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded, Skeleton } from "../ui/states.tsx";
import { AgentCharts } from "./agent-charts.tsx";
import { agentFailuresQuery } from "./queries.ts";
import type { Window } from "./rules.ts";

/** How one agent did over a window: its figures, what fails in it, and all of it over time. */
export function AgentFigures({ agentId, window }: { agentId: string; window: Window }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-7 overflow-y-auto px-4 py-5 md:px-6">
      <Totals agentId={agentId} window={window} />
      <Failures agentId={agentId} window={window} />
      <ChartCursor>
        <AgentCharts agentId={agentId} window={window} />
      </ChartCursor>
    </div>
  );
}

function Totals({ agentId, window }: { agentId: string; window: Window }) {
  const api = useApi();
  const figures = useQuery(agentFiguresQuery(api, window));
  return (
    <Loaded query={figures} skeleton={<Skeleton rows={1} className="h-12" />}>
      {({ agents, since }) => {
        const own = agents.find((each) => each.agentId === agentId);
        const all = { agent: agentId, from: since };
        const runs = { ...all, source: "production" as const };
        const failing = { ...runs, rating: "failing" as const };
        return (
          <div className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-6">
            <Stat label="Runs">
              <TracesLink traces={runs}>{formatCount(own?.totalRuns ?? 0)}</TracesLink>
            </Stat>
            <Stat label="Failing">
              <TracesLink traces={failing}>{formatCount(own?.failingRuns ?? 0)}</TracesLink>
            </Stat>
            <Stat label="Failure rate">
              <TracesLink traces={someOf(failing, own?.failingRuns)}>{formatShare(own?.failureRate)}</TracesLink>
            </Stat>
            <Stat label="Mean rating">
              <TracesLink traces={someOf({ ...runs, rating: "rated" }, own?.ratings)}>
                <Score rating={own?.meanRating} scorer={`mean of ${formatCount(own?.ratings ?? 0)} ratings`} />
              </TracesLink>
            </Stat>
            <Stat label="Latency p95">
              <TracesLink traces={slowerThan(runs, own?.latencyP95)}>{formatDuration(own?.latencyP95)}</TracesLink>
            </Stat>
            <Stat label="Cost">
              <TracesLink traces={someOf(all, own?.costUSD)}>{formatCost(own?.costUSD)}</TracesLink>
            </Stat>
          </div>
        );
      }}
    </Loaded>
  );
}

function Failures({ agentId, window }: { agentId: string; window: Window }) {
  const api = useApi();
  const failures = useQuery(agentFailuresQuery(api, agentId, window));
  const since = useQuery(agentFiguresQuery(api, window)).data?.since ?? window;
  return (
    <Section title="Why it fails" aside="what was found most often">
      <Loaded query={failures} skeleton={<Skeleton rows={3} />}>
        {(found) =>
          found.length === 0 ? (
            <p className="m-0 text-soft">Nothing was found in this window.</p>
          ) : (
            <ul className="m-0 list-none border-t border-line p-0">
              {found.map(({ patternKey, count, lastSeenAt }) => (
                <li key={patternKey} className="flex h-9 items-center gap-3 border-b border-line max-md:h-11">
                  <span className="min-w-0 flex-1 truncate">
                    <FailureLink patternKey={patternKey} agentId={agentId} from={since} />
                  </span>
                  <Proportion count={count} most={found[0]?.count ?? 1} />
                  <span className="w-10 text-right tabular-nums">{formatCount(count)}</span>
                  <span className="w-20 text-right text-faint">
                    <Time iso={lastSeenAt} isAge />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function Proportion({ count, most }: { count: number; most: number }) {
  return (
    <span aria-hidden className="h-1.5 w-40 max-md:hidden">
      <span className="block h-full rounded-full bg-score-2" style={{ width: `${(count / most) * 100}%` }} />
    </span>
  );
}
