import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";

export type ModelFigure =
  paths["/api/v1/agent-monitoring/model-comparison"]["get"]["responses"][200]["content"]["application/json"]["models"][number];

export const windows = ["24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

/** Figures are refreshed while they are visible. */
const freshMs = 15_000;

/** All data of the overview for a window; each part fails independently. */
export function overviewQueries(api: ProjectApi, window: Window) {
  const options = <Body>(part: string, read: (signal: AbortSignal) => Promise<{ data?: Body; response: Response }>) =>
    queryOptions({
      queryKey: [api.projectId, "overview", part, window],
      queryFn: ({ signal }) => bodyOf(read(signal)),
      placeholderData: keepPreviousData,
      refetchInterval: freshMs,
    });
  const params = { query: { window } };
  return {
    kpis: options("kpis", (signal) => api.GET("/api/v1/monitor/kpis", { params, signal })),
    trend: options("trend", (signal) => api.GET("/api/v1/agent-monitoring/trend", { params, signal })),
    performance: options("performance", (signal) =>
      api.GET("/api/v1/agent-monitoring/performance", { params, signal }),
    ),
    metrics: options("metrics", (signal) => api.GET("/api/v1/agent-monitoring/metrics", { params, signal })),
    costs: options("costs", (signal) => api.GET("/api/v1/agent-monitoring/cost-trend", { params, signal })),
    ingest: options("ingest", (signal) => api.GET("/api/v1/agent-monitoring/ingest-health", { params, signal })),
    models: options("models", (signal) => api.GET("/api/v1/agent-monitoring/model-comparison", { params, signal })),
  };
}

/** Unresolved signals, both new and recurring ones as in the inbox, newest first. */
export const openSignalsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "overview", "signals"],
    queryFn: ({ signal }) => {
      const query = { status: "open,reopened", limit: "6" };
      return bodyOf(api.GET("/api/v1/monitor/signals", { params: { query }, signal }));
    },
    refetchInterval: freshMs,
  });

/** The newest completed runs: those that the overview shows, and their baselines. */
export const completedRunsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "overview", "runs"],
    queryFn: ({ signal }) => {
      const query = { status: "completed", limit: "50", caseStatistics: "none" };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query }, signal }));
    },
    refetchInterval: freshMs,
  });

/** Checks for any trace at all. */
export const hasTracesQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "has-traces"],
    queryFn: async ({ signal }) => {
      const { totalCount } = await bodyOf(
        api.GET("/api/v1/ingest/traces", { params: { query: { limit: "1" } }, signal }),
      );
      return totalCount > 0;
    },
  });
