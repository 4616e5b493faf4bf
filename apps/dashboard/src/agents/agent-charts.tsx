import { useQuery } from "@tanstack/react-query";
import { useOpenTraces } from "../blocks/traces-link.tsx";
import { useApi } from "../shell/session.tsx";
import { type Series, TimeChart } from "../ui/charts/time-chart.tsx";
import { formatClock, formatCompact, formatCost, formatDay, formatDuration } from "../ui/format.ts";
import { Loaded, Skeleton } from "../ui/states.tsx";
import { agentCostsQuery, agentMetricsQuery, agentTrendQuery } from "./queries.ts";
import type { Window } from "./rules.ts";

const series = (label: string, color: string, values: (number | null)[]): Series => ({
  key: label,
  label,
  color,
  values,
});

/** Runs, latency, cost and tokens of one agent over time, under one cursor. */
export function AgentCharts({ agentId, window }: { agentId: string; window: Window }) {
  const api = useApi();
  const trend = useQuery(agentTrendQuery(api, agentId, window));
  const metrics = useQuery(agentMetricsQuery(api, agentId, window));
  const costs = useQuery(agentCostsQuery(api, agentId, window));
  const labelOf = ({ ts }: { ts: string }): string => (window === "24h" ? formatClock(ts) : formatDay(ts));
  const openTraces = useOpenTraces();
  const skeleton = <Skeleton rows={4} className="h-44" />;
  return (
    <div className="grid min-w-0 gap-x-8 gap-y-6 md:grid-cols-2">
      <Loaded query={trend} skeleton={skeleton}>
        {({ points }) => (
          <TimeChart
            title="Runs"
            kind="stacked"
            format={formatCompact}
            onOpen={openTraces(points, { agent: agentId, source: "production" })}
            labels={points.map(labelOf)}
            series={[
              series(
                "failing",
                "text-score-2",
                points.map(({ failingRuns }) => failingRuns),
              ),
              series(
                "healthy",
                "text-score-8",
                points.map(({ healthyRuns }) => healthyRuns),
              ),
            ]}
          />
        )}
      </Loaded>
      <Loaded query={metrics} skeleton={skeleton}>
        {({ buckets }) => (
          <TimeChart
            title="Latency"
            kind="lines"
            format={formatDuration}
            onOpen={openTraces(buckets, { agent: agentId })}
            labels={buckets.map(labelOf)}
            series={[
              series(
                "p95",
                "text-kind-tool",
                buckets.map(({ latencyP95 }) => latencyP95),
              ),
              series(
                "p50",
                "text-kind-llm",
                buckets.map(({ latencyP50 }) => latencyP50),
              ),
            ]}
          />
        )}
      </Loaded>
      <Loaded query={costs} skeleton={skeleton}>
        {({ points, totals }) => (
          <TimeChart
            title="Cost"
            total={formatCost(totals.cost)}
            kind="stacked"
            format={formatCost}
            onOpen={openTraces(points, { agent: agentId })}
            labels={points.map(labelOf)}
            series={[
              series(
                "all models",
                "text-kind-llm",
                points.map(({ cost }) => cost),
              ),
            ]}
          />
        )}
      </Loaded>
      <Loaded query={metrics} skeleton={skeleton}>
        {({ buckets, totals }) => (
          <TimeChart
            title="Tokens"
            total={formatCompact(totals.tokensPrompt + totals.tokensCompletion)}
            kind="stacked"
            format={formatCompact}
            onOpen={openTraces(buckets, { agent: agentId })}
            labels={buckets.map(labelOf)}
            series={[
              series(
                "prompt",
                "text-kind-llm",
                buckets.map(({ tokensPrompt }) => tokensPrompt),
              ),
              series(
                "completion",
                "text-kind-retrieval",
                buckets.map(({ tokensCompletion }) => tokensCompletion),
              ),
            ]}
          />
        )}
      </Loaded>
    </div>
  );
}
