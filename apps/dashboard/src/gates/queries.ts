import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { components, paths } from "../api/schema.gen.d.ts";
import { allDatasetsQuery } from "../blocks/dataset-summaries.ts";
import { byTime, verdictOfCiRun, verdictOfGate } from "./verdicts.ts";

/** Verdicts come from pipelines while somebody looks. */
const freshMs = 20_000;

const gatesKey = (api: ProjectApi) => [api.projectId, "gates"] as const;

/** The names of the project's datasets, by id. */
export const datasetNamesQuery = (api: ProjectApi) =>
  queryOptions({
    ...allDatasetsQuery(api),
    select: (datasets) => new Map(datasets.map(({ _id, name }) => [_id, name])),
  });

/** The verdicts of gates and CI runs, newest first. */
export const verdictsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [...gatesKey(api), "verdicts"],
    queryFn: async ({ signal }) => {
      const [{ gates }, { ci_runs: ciRuns }, { runs }] = await Promise.all([
        bodyOf(api.GET("/api/v1/evaluate/ci/gates", { signal })),
        bodyOf(api.GET("/api/v1/ingest/ci-runs", { params: { query: { limit: "200" } }, signal })),
        bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query: { limit: "200" } }, signal })),
      ]);
      const subjects = new Map(runs.map(({ _id, evaluationSubject }) => [_id, evaluationSubject]));
      const ciIds = new Set(ciRuns.map(({ run_id }) => run_id));
      return [
        // A failing CI run is in both lists.
        ...gates.filter(({ runId }) => !ciIds.has(runId)).map((gate) => verdictOfGate(gate, subjects.get(gate.runId))),
        ...ciRuns.map(verdictOfCiRun),
      ].sort(byTime);
    },
    placeholderData: keepPreviousData,
    refetchInterval: freshMs,
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

/** The dataset of a CI run; its settings say what passes. */
export const datasetQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [...gatesKey(api), "dataset", datasetId],
    queryFn: ({ signal }) => {
      const params = { path: { datasetId } };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/datasets/{datasetId}", { params, signal }));
    },
  });

/** The completed runs of a dataset, newest first: what a gate can be tried on. */
export const gateableRunsQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [...gatesKey(api), "gateable", datasetId],
    queryFn: async ({ signal }) => {
      const query = { datasetId, status: "completed", limit: "50" };
      return (await bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query }, signal }))).runs;
    },
  });

export type GateQuery = Readonly<Record<string, string>>;

/** What a gate would say, without keeping it: of one run, or of the dataset's newest completed one. */
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
export type CiRun = components["schemas"]["CiRun"];
