import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
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

/** The project's datasets. */
export const datasetsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "datasets"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/custom-agent-evaluations/datasets", { signal })),
  });
