import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { components, paths } from "../api/schema.gen.d.ts";
import { allDatasetsQuery } from "../blocks/dataset-summaries.ts";
import { firstOfBoth, verdictOfCiRun, verdictOfGate } from "./verdicts.ts";

/** Pipelines add verdicts while the page is open. */
const freshMs = 20_000;

const gatesKey = (api: ProjectApi) => [api.projectId, "gates"] as const;

/** The names of the project's datasets, by id. */
export const datasetNamesQuery = (api: ProjectApi) =>
  queryOptions({
    ...allDatasetsQuery(api),
    select: (datasets) => new Map(datasets.map(({ _id, name }) => [_id, name])),
  });

/** Whose verdicts are listed. A commit may be shortened. */
export interface VerdictFilter {
  branch?: string | undefined;
  commit?: string | undefined;
  dataset?: string | undefined;
}

/** Rows of a page, and the most that the API gives at once. */
const pageSize = 50;
const atOnce = 200;

interface Wanted {
  filter: VerdictFilter;
  limit: number;
  cursor: string | null;
}

/** The verdicts of gates and CI runs, newest first. */
async function readVerdicts(api: ProjectApi, { filter, limit, cursor }: Wanted, signal: AbortSignal) {
  const { dataset, branch, commit } = filter;
  const query = {
    limit: String(limit),
    ...(cursor !== null && { cursor }),
    ...(branch !== undefined && { branch }),
    ...(commit !== undefined && { commit }),
  };
  const ofGates = { ...query, ciRuns: "none", ...(dataset !== undefined && { datasetId: dataset }) };
  const ofCiRuns = { ...query, ...(dataset !== undefined && { dataset_id: dataset }) };
  const [gates, ciRuns] = await Promise.all([
    bodyOf(api.GET("/api/v1/evaluate/ci/gates", { params: { query: ofGates }, signal })),
    bodyOf(api.GET("/api/v1/ingest/ci-runs", { params: { query: ofCiRuns }, signal })),
  ]);
  return {
    ...firstOfBoth(gates.gates.map(verdictOfGate), ciRuns.ci_runs.map(verdictOfCiRun), limit),
    totalCount: gates.totalCount + ciRuns.total_count,
  };
}

/** The verdicts that match, page by page. */
export const verdictsQuery = (api: ProjectApi, filter: VerdictFilter) =>
  infiniteQueryOptions({
    queryKey: [...gatesKey(api), "verdicts", filter],
    queryFn: ({ pageParam, signal }) => readVerdicts(api, { filter, limit: pageSize, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: freshMs,
  });

/** As many of the newest verdicts as come at once, of one branch or of all. */
export const newestVerdictsQuery = (api: ProjectApi, branch?: string) =>
  queryOptions({
    queryKey: [...gatesKey(api), "newest", branch ?? null],
    queryFn: async ({ signal }) =>
      (await readVerdicts(api, { filter: { branch }, limit: atOnce, cursor: null }, signal)).verdicts,
    placeholderData: keepPreviousData,
    refetchInterval: freshMs,
  });

/** The CI runs of the same dataset before one, newest first. */
export const ciRunsBeforeQuery = (api: ProjectApi, { run_id: cursor, dataset_id }: CiRun) =>
  queryOptions({
    queryKey: [...gatesKey(api), "before", cursor],
    queryFn: async ({ signal }) => {
      const query = { dataset_id, cursor, limit: String(atOnce) };
      const { ci_runs: ciRuns } = await bodyOf(api.GET("/api/v1/ingest/ci-runs", { params: { query }, signal }));
      return ciRuns.map(verdictOfCiRun);
    },
  });

/** One CI run; read again soon while it is open. */
export const ciRunQuery = (api: ProjectApi, ciRunId: string) =>
  queryOptions({
    queryKey: [...gatesKey(api), "ci-run", ciRunId],
    queryFn: ({ signal }) => {
      const params = { path: { ciRunId } };
      return bodyOf(api.GET("/api/v1/ingest/ci-runs/{ciRunId}", { params, signal }));
    },
    refetchInterval: ({ state }) => (state.data?.status === "in_progress" ? 3_000 : false),
  });

/** The evaluation run of a CI run, with its results. */
export const runQuery = (api: ProjectApi, runId: string) =>
  queryOptions({
    queryKey: [...gatesKey(api), "run", runId],
    queryFn: ({ signal }) => {
      const params = { path: { runId } };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs/{runId}", { params, signal }));
    },
  });

/** The dataset of a CI run; its settings define what passes. */
export const datasetQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [...gatesKey(api), "dataset", datasetId],
    queryFn: ({ signal }) => {
      const params = { path: { datasetId } };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/datasets/{datasetId}", { params, signal }));
    },
  });

/** The completed runs of a dataset, newest first: the runs that a gate can be tried on. */
export const gateableRunsQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [...gatesKey(api), "gateable", datasetId],
    queryFn: async ({ signal }) => {
      const query = { datasetId, status: "completed", limit: "50", caseStatistics: "none" };
      return (await bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query }, signal }))).runs;
    },
  });

export type GateQuery = Readonly<Record<string, string>>;

/** The verdict of a gate without recording it: for one run, or for the dataset's newest completed one. */
export const triedGateQuery = (api: ProjectApi, datasetId: string, runId: string | undefined, query: GateQuery) =>
  queryOptions({
    queryKey: [...gatesKey(api), "tried", datasetId, runId, query],
    queryFn: ({ signal }) =>
      bodyOf(
        runId === undefined
          ? api.GET("/api/v1/evaluate/ci/gates/preview", { params: { query: { ...query, datasetId } }, signal })
          : api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/gate", {
              params: { path: { runId }, query },
              signal,
            }),
      ),
    placeholderData: keepPreviousData,
  });

export type TriedGate =
  paths["/api/v1/evaluate/ci/gates/preview"]["get"]["responses"][200]["content"]["application/json"];
export type CiRun = components["schemas"]["CiRunDetail"];
