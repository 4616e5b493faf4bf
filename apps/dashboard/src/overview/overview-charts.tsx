import { useQuery } from "@tanstack/react-query";
import { useOpenTraces } from "../blocks/traces-link.tsx";
import { useApi } from "../shell/session.tsx";
import { ChartCursor } from "../ui/charts/chart-cursor.tsx";
import { type Series, TimeChart } from "../ui/charts/time-chart.tsx";
import { formatClock, formatCompact, formatCost, formatDay, formatDuration, formatShare } from "../ui/format.ts";
import { Loaded, Skeleton } from "../ui/states.tsx";
import { overviewQueries, type Window } from "./queries.ts";
import { topModels } from "./top-models.ts";

/** From the strongest to the faintest; further models are grouped as `other`. */
const modelColors = [
  "text-kind-llm",
  "text-kind-retrieval",
  "text-kind-tool",
  "text-kind-guardrail",
  "text-kind-agent",
];

/** Health, latency, cost and tokens over the window, with a shared cursor. */
export function OverviewCharts({ window }: { window: Window }) {
  const queries = overviewQueries(useApi(), window);
  const labelOf = ({ ts }: { ts: string }): string => (window === "24h" ? formatClock(ts) : formatDay(ts));
  const trend = useQuery(queries.trend);
  const performance = useQuery(queries.performance);
  const costs = useQuery(queries.costs);
  const metrics = useQuery(queries.metrics);
  const openTraces = useOpenTraces();
  const skeleton = <Skeleton rows={4} className="h-44" />;
  return (
    <ChartCursor>
      <div className="grid min-w-0 gap-x-8 gap-y-6 md:grid-cols-2">
        <Loaded query={trend} skeleton={skeleton}>
          {({ points }) => (
            <TimeChart
              title="Health"
              kind="lines"
              most={1}
              format={(share) => formatShare(share, 0)}
              onOpen={openTraces(points, { source: "production" })}
              labels={points.map(labelOf)}
              series={[
                {
                  key: "healthy",
                  label: "healthy",
                  color: "text-good",
                  values: points.map(({ healthRate }) => healthRate),
                },
                {
                  key: "tools",
                  label: "tool failures",
                  color: "text-kind-tool",
                  isDashed: true,
                  values: points.map(({ toolFailureRate }) => toolFailureRate),
                },
              ]}
            />
          )}
        </Loaded>
        <Loaded query={performance} skeleton={skeleton}>
          {({ points }) => (
            <TimeChart
              title="Latency"
              kind="lines"
              format={formatDuration}
              onOpen={openTraces(points, { source: "production" })}
              labels={points.map(labelOf)}
              series={[
                {
                  key: "p95",
                  label: "p95",
                  color: "text-kind-tool",
                  values: points.map(({ latencyP95 }) => latencyP95),
                },
                {
                  key: "p50",
                  label: "p50",
                  color: "text-kind-llm",
                  values: points.map(({ latencyP50 }) => latencyP50),
                },
              ]}
            />
          )}
        </Loaded>
        <Loaded query={costs} skeleton={skeleton}>
          {({ points, totals }) => (
            <TimeChart
              title="Cost by model"
              kind="stacked"
              format={formatCost}
              total={formatCost(totals.cost)}
              onOpen={openTraces(points, {})}
              labels={points.map(labelOf)}
              series={costSeries(points, totals.byModel)}
            />
          )}
        </Loaded>
        <Loaded query={metrics} skeleton={skeleton}>
          {({ buckets, totals }) => (
            <TimeChart
              title="Tokens"
              kind="stacked"
              format={formatCompact}
              total={`${formatCompact(totals.tokensPrompt + totals.tokensCompletion)} in all`}
              onOpen={openTraces(buckets, {})}
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
          )}
        </Loaded>
      </div>
    </ChartCursor>
  );
}

function costSeries(points: readonly { byModel: Record<string, number> }[], totals: Record<string, number>): Series[] {
  return topModels(totals, modelColors.length).map(({ label, models }, index) => ({
    key: label,
    label,
    color: modelColors[index] as string,
    values: points.map(({ byModel }) => models.reduce((sum, model) => sum + (byModel[model] ?? 0), 0)),
  }));
}
