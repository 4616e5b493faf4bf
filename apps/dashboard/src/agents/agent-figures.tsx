import { useQuery } from "@tanstack/react-query";
import { useApi } from "../shell/session.tsx";
import { ChartCursor } from "../ui/charts/chart-cursor.tsx";
import { TimeChart } from "../ui/charts/time-chart.tsx";
import { formatClock, formatCompact, formatCost, formatCount, formatDay, formatDuration } from "../ui/format.ts";
import { Stat } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { agentCostsQuery, agentMetricsQuery } from "./queries.ts";
import type { Window } from "./rules.ts";

/** How one agent did over a window: its traces, latency, tokens and cost over time. */
export function AgentFigures({ agentId, window }: { agentId: string; window: Window }) {
  const api = useApi();
  const metrics = useQuery(agentMetricsQuery(api, agentId, window));
  const costs = useQuery(agentCostsQuery(api, agentId, window));
  const labelOf = ({ ts }: { ts: string }): string => (window === "24h" ? formatClock(ts) : formatDay(ts));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 py-5 md:px-6">
      <Loaded query={metrics}>
        {({ buckets, totals }) => (
          <ChartCursor>
            <div className="mb-6 grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-6">
              <Stat label="Traces">{formatCount(totals.traces)}</Stat>
              <Stat label="With an error">{formatCount(totals.errors)}</Stat>
              <Stat label="Latency p95">{formatDuration(totals.latencyP95)}</Stat>
              <Stat label="Cost">{formatCost(costs.data?.totals.cost)}</Stat>
              <Stat label="Tool calls">{formatCount(totals.toolCalls)}</Stat>
              <Stat label="Tool failures">{formatCount(totals.toolFailures)}</Stat>
            </div>
            <div className="grid min-w-0 gap-x-8 gap-y-6 md:grid-cols-2">
              <TimeChart
                title="Traces"
                kind="stacked"
                format={formatCompact}
                labels={buckets.map(labelOf)}
                series={[
                  {
                    key: "errors",
                    label: "with an error",
                    color: "text-kind-error",
                    values: buckets.map(({ errors }) => errors),
                  },
                  {
                    key: "rest",
                    label: "without",
                    color: "text-kind-llm",
                    values: buckets.map(({ traces, errors }) => traces - errors),
                  },
                ]}
              />
              <TimeChart
                title="Latency"
                kind="lines"
                format={formatDuration}
                labels={buckets.map(labelOf)}
                series={[
                  {
                    key: "p95",
                    label: "p95",
                    color: "text-kind-tool",
                    values: buckets.map(({ latencyP95 }) => latencyP95),
                  },
                  {
                    key: "p50",
                    label: "p50",
                    color: "text-kind-llm",
                    values: buckets.map(({ latencyP50 }) => latencyP50),
                  },
                ]}
              />
              {costs.data && (
                <TimeChart
                  title="Cost"
                  kind="stacked"
                  format={formatCost}
                  labels={costs.data.points.map(labelOf)}
                  series={[
                    {
                      key: "cost",
                      label: "all models",
                      color: "text-kind-llm",
                      values: costs.data.points.map(({ cost }) => cost),
                    },
                  ]}
                />
              )}
              <TimeChart
                title="Tokens"
                kind="stacked"
                format={formatCompact}
                labels={buckets.map(labelOf)}
                series={[
                  {
                    key: "prompt",
                    label: "prompt",
                    color: "text-kind-llm",
                    values: buckets.map(({ tokensPrompt }) => tokensPrompt),
                  },
                  {
                    key: "completion",
                    label: "completion",
                    color: "text-kind-retrieval",
                    values: buckets.map(({ tokensCompletion }) => tokensCompletion),
                  },
                ]}
              />
            </div>
          </ChartCursor>
        )}
      </Loaded>
    </div>
  );
}
