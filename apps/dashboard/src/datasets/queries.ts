import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { components } from "../api/schema.gen.d.ts";
import { readDatasetPage } from "../blocks/dataset-summaries.ts";
import { countOf } from "../ui/format.ts";

export type Dataset = components["schemas"]["Dataset"];
export type Question = Dataset["questions"][number];

/** The key of everything that was read of the project's datasets. */
export const datasetsKey = (api: ProjectApi) => [api.projectId, "datasets"] as const;

/** The project's datasets whose name or description has the search in it, newest first, a page at a time. */
export const datasetsQuery = (api: ProjectApi, search: string) =>
  infiniteQueryOptions({
    queryKey: [...datasetsKey(api), "list", search],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      readDatasetPage(
        api,
        { ...(search !== "" && { search }), ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

/** How many runs a dataset has, in words: `12 runs`. */
export const countRunsQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [...datasetsKey(api), datasetId, "run-count"],
    queryFn: async ({ signal }) => {
      const query = { datasetId, limit: "1", caseStatistics: "none" };
      const runs = await bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query }, signal }));
      return countOf(runs.totalCount, "run");
    },
  });

/** The versions of the agent that were run on a dataset. */
export const agentVersionsQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [...datasetsKey(api), datasetId, "agent-versions"],
    queryFn: ({ signal }) => {
      const params = { path: { datasetId } };
      return bodyOf(api.GET("/api/v1/evaluate/datasets/{datasetId}/run-comparison", { params, signal }));
    },
  });

/** One dataset with all of its cases. */
export const datasetQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [...datasetsKey(api), datasetId, "dataset"],
    queryFn: ({ signal }) => {
      const params = { path: { datasetId } };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/datasets/{datasetId}", { params, signal }));
    },
  });

export type DatasetVersion = components["schemas"]["DatasetVersions"][number];

/** The versions of a dataset with their cases, newest first. Large ones are few to a page. */
export const versionsQuery = (api: ProjectApi, datasetId: string) =>
  infiniteQueryOptions({
    queryKey: [...datasetsKey(api), datasetId, "versions"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === null ? {} : { cursor: String(pageParam) };
      const params = { path: { datasetId }, query };
      return bodyOf(api.GET("/api/v1/evaluate/datasets/{datasetId}/versions", { params, signal }));
    },
    // Versions can be deleted: if the first one was, only an empty page is the end.
    getNextPageParam: (page: DatasetVersion[]) => {
      const last = page.at(-1);
      return last === undefined || last.versionNumber === 1 ? null : last.versionNumber;
    },
  });

/** The runs of a dataset, newest first, a page at a time. */
export const datasetRunsQuery = (api: ProjectApi, datasetId: string) =>
  infiniteQueryOptions({
    queryKey: [...datasetsKey(api), datasetId, "runs"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = {
        datasetId,
        limit: "50",
        caseStatistics: "none",
        ...(pageParam !== undefined && { cursor: pageParam }),
      };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export type DatasetRun = components["schemas"]["RunList"]["runs"][number];
