import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import type { components } from "../api/schema.gen.d.ts";

export type ListedRun = components["schemas"]["RunList"]["runs"][number];

export interface RunFilters {
  dataset?: string | undefined;
  status?: string | undefined;
}

/** Runs get on while somebody looks at them. */
const runningMs = 3_000;
const idleMs = 30_000;

/** The runs that match, newest first, page by page; read again soon while one of them is in progress. */
export const runsQuery = (api: ProjectApi, { dataset, status }: RunFilters) =>
  infiniteQueryOptions({
    queryKey: [api.projectId, "runs", { dataset, status }],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET("/api/v1/custom-agent-evaluations/runs", {
          params: {
            query: {
              limit: "50",
              ...(pageParam !== null && { cursor: pageParam }),
              ...(dataset !== undefined && { datasetId: dataset }),
              ...(status !== undefined && { status }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const isRunning = state.data?.pages.some(({ runs }) => runs.some(({ status: at }) => at === "in_progress"));
      return isRunning ? runningMs : idleMs;
    },
  });

/** The newest verdicts that were kept, by run. */
export const gatesQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "gates", "recorded"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/evaluate/ci/gates", { signal })),
    select: ({ gates }) => {
      const byRun = new Map<string, (typeof gates)[number]>();
      // Newest first: of several verdicts on a run the last one counts.
      for (const gate of gates) if (!byRun.has(gate.runId)) byRun.set(gate.runId, gate);
      return byRun;
    },
  });

/** A run with its results. */
export const runQuery = (api: ProjectApi, runId: string) =>
  queryOptions({
    queryKey: [api.projectId, "run", runId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs/{runId}", { params: { path: { runId } }, signal })),
  });

/** The run held case by case against the newest completed one of its dataset before it. */
export const pairedGateQuery = (api: ProjectApi, runId: string, scorer: string | undefined) =>
  queryOptions({
    queryKey: [api.projectId, "run", runId, "gate", scorer ?? null],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/gate", {
          params: { path: { runId }, query: { method: "paired", ...(scorer !== undefined && { scorer }) } },
          signal,
        }),
      ),
  });

/** Two runs of a dataset side by side. */
export const comparisonQuery = (api: ProjectApi, baseline: string, candidate: string) =>
  queryOptions({
    queryKey: [api.projectId, "comparison", baseline, candidate],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/evaluate/runs/compare", { params: { query: { baseline, candidate } }, signal })),
  });

export const datasetQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [api.projectId, "datasets", datasetId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/v1/custom-agent-evaluations/datasets/{datasetId}", { params: { path: { datasetId } }, signal }),
      ),
  });

/** The report of the run's last analysis; null when it was never analyzed. */
export const reportQuery = (api: ProjectApi, runId: string) =>
  queryOptions({
    queryKey: [api.projectId, "run", runId, "report"],
    queryFn: async ({ signal }) => {
      try {
        return await bodyOf(
          api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/report", { params: { path: { runId } }, signal }),
        );
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null;
        throw error;
      }
    },
  });

/** What the dataset asks for and the run does not have. */
export const missingQuery = (api: ProjectApi, runId: string) =>
  queryOptions({
    queryKey: [api.projectId, "run", runId, "missing"],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/missing-results", {
          params: { path: { runId } },
          signal,
        }),
      ),
  });

/** The newest runs of a dataset, to choose some of them. */
export const datasetRunsQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [api.projectId, "runs", "of", datasetId],
    queryFn: async ({ signal }) => {
      const query = { limit: "100", datasetId };
      return (await bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query }, signal }))).runs;
    },
  });
