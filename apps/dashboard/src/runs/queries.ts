import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import type { components } from "../api/schema.gen.d.ts";
import { type CaseSearch, caseQueryOf } from "./case-rows.ts";
import { type RunFilters, runListQueryOf } from "./run-filters.ts";

export type ListedRun = components["schemas"]["RunList"]["runs"][number];

/** Runs change while they are viewed. */
const runningMs = 3_000;
const idleMs = 30_000;

const resultsPerPage = "100";

/** At most 200 ids fit into a request. */
const gatesAtOnce = 200;

/** The matching runs, newest first, in pages; refreshed often while one of them is in progress. */
export const runsQuery = (api: ProjectApi, filters: RunFilters) =>
  infiniteQueryOptions({
    queryKey: [api.projectId, "runs", filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...runListQueryOf(filters), limit: "50", ...(pageParam !== null && { cursor: pageParam }) };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const isRunning = state.data?.pages.some(({ runs }) => runs.some(({ status: at }) => at === "in_progress"));
      return isRunning ? runningMs : idleMs;
    },
  });

/** The names of the project's agents, as used in the subjects of runs. */
export const agentNamesQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "agents-by-name"],
    queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/v1/agents", { signal }))).agents.map(({ name }) => name),
    staleTime: 60_000,
  });

/** The newest stored verdict on each of these runs, by run. */
export const gatesQuery = (api: ProjectApi, runIds: readonly string[]) =>
  queryOptions({
    queryKey: [api.projectId, "gates", "recorded", runIds],
    queryFn: async ({ signal }) => {
      const starts = runIds.flatMap((_, index) => (index % gatesAtOnce === 0 ? [index] : []));
      const parts = starts.map((start) => {
        const query = { runIds: runIds.slice(start, start + gatesAtOnce).join(","), limit: String(gatesAtOnce) };
        return bodyOf(api.GET("/api/v1/evaluate/ci/gates", { params: { query }, signal }));
      });
      return (await Promise.all(parts)).flatMap(({ gates }) => gates);
    },
    select: (gates) => new Map(gates.map((gate) => [gate.runId, gate])),
  });

/** A run with its figures. Its results are loaded in pages, together with the figures of their cases. */
export const runQuery = (api: ProjectApi, runId: string) =>
  queryOptions({
    queryKey: [api.projectId, "run", runId],
    queryFn: ({ signal }) => {
      const params = { path: { runId }, query: { results: "none", caseStatistics: "none" } };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs/{runId}", { params, signal }));
    },
  });

type ResultsSearch = CaseSearch & { baselineId: string | null };

/** The filtered and sorted results of a run in pages; the results of a case are adjacent. */
export const resultsQuery = (api: ProjectApi, runId: string, search: ResultsSearch) => {
  const { scorer, baselineId, status, above, max, sort = "rating" } = search;
  return infiniteQueryOptions({
    queryKey: [api.projectId, "run", runId, "results", { scorer, baselineId, status, above, max, sort }],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        sort,
        limit: resultsPerPage,
        ...ratedBy(search),
        ...(status !== undefined && { status }),
        ...(above !== undefined && { ratingAbove: String(above) }),
        ...(max !== undefined && { ratingMax: String(max) }),
        ...(pageParam !== null && { cursor: pageParam }),
      };
      const params = { path: { runId }, query };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/results", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
};

/** All results of one case with their full texts: repetitions and paraphrases, at most 200. */
export const caseQuery = (
  api: ProjectApi,
  runId: string,
  { key, ...search }: Pick<ResultsSearch, "scorer" | "baselineId"> & { key: string },
) =>
  queryOptions({
    queryKey: [api.projectId, "run", runId, "case", key, search],
    queryFn: async ({ signal }) => {
      const params = { path: { runId }, query: { ...caseQueryOf(key), ...ratedBy(search), limit: "200" } };
      return (await bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/results", { params, signal })))
        .results;
    },
  });

const ratedBy = ({ scorer, baselineId }: Pick<ResultsSearch, "scorer" | "baselineId">) => ({
  ...(scorer !== undefined && { scorer }),
  ...(baselineId !== null && { baseline: baselineId }),
});

/** The id of the newest completed run of the dataset before this one; null if there is none. */
export const baselineQuery = (api: ProjectApi, runId: string, scorer: string | undefined) =>
  queryOptions({
    queryKey: [api.projectId, "run", runId, "baseline", scorer ?? null],
    // The cheapest request that names it: a case-by-case comparison of a large run takes a second.
    queryFn: async ({ signal }) => {
      const query = { noRegression: "true", ...(scorer !== undefined && { scorer }) };
      return (await readGate(api, { runId, query, signal })).baselineRunId;
    },
  });

/** The case-by-case comparison of the run with that one. */
export const pairedGateQuery = (api: ProjectApi, runId: string) =>
  queryOptions({
    queryKey: [api.projectId, "run", runId, "gate"],
    queryFn: ({ signal }) => readGate(api, { runId, query: { method: "paired" }, signal }),
  });

const readGate = (
  api: ProjectApi,
  { runId, query, signal }: { runId: string; query: Record<string, string>; signal: AbortSignal },
) =>
  bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/gate", { params: { path: { runId }, query }, signal }));

/** Two runs of a dataset side by side; their texts are cut. */
export const comparisonQuery = (
  api: ProjectApi,
  { baseline, candidate, scorer }: { baseline: string; candidate: string; scorer: string | undefined },
) =>
  queryOptions({
    queryKey: [api.projectId, "comparison", baseline, candidate, scorer ?? null],
    queryFn: ({ signal }) => {
      const query = { baseline, candidate, view: "preview", ...(scorer !== undefined && { scorer }) };
      return bodyOf(api.GET("/api/v1/evaluate/runs/compare", { params: { query }, signal }));
    },
  });

/** The version of a dataset, in a list; the list is without it if it was deleted. A report quotes its questions. */
export const datasetVersionQuery = (api: ProjectApi, datasetId: string, version: number) =>
  queryOptions({
    queryKey: [api.projectId, "datasets", datasetId, "version", version],
    queryFn: ({ signal }) => {
      const params = { path: { datasetId }, query: { limit: "1", cursor: String(version + 1) } };
      return bodyOf(api.GET("/api/v1/evaluate/datasets/{datasetId}/versions", { params, signal }));
    },
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The report of the run's last analysis; null if it was never analyzed. */
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

/** The newest scores of clients that name the run, and no case of it. */
export const runScoresQuery = (api: ProjectApi, runId: string) =>
  queryOptions({
    queryKey: [api.projectId, "run", runId, "scores"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/scores", { params: { query: { runId, limit: "100" } }, signal })),
    select: ({ scores }) => scores.filter(({ caseId }) => caseId === null),
  });

/** The scores of clients that name a trace; none if it is gone. */
export const traceScoresQuery = (api: ProjectApi, traceId: string) =>
  queryOptions({
    queryKey: [api.projectId, "trace-scores", traceId],
    queryFn: async ({ signal }) => {
      try {
        const params = { path: { traceId } };
        return (await bodyOf(api.GET("/api/v1/ingest/traces/{traceId}", { params, signal }))).scores;
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return [];
        throw error;
      }
    },
  });

/** The results that the dataset requires and the run does not have. */
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

/** The newest runs of a dataset, for a choice. */
export const datasetRunsQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [api.projectId, "runs", "of", datasetId],
    queryFn: async ({ signal }) => {
      const query = { limit: "100", datasetId, caseStatistics: "none" };
      return (await bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query }, signal }))).runs;
    },
  });
