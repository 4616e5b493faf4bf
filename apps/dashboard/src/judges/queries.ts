import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { operations } from "../api/schema.gen.d.ts";
import { type Agent, agentsQuery } from "../blocks/watching-queries.ts";

type Answer<Operation extends keyof operations> = operations[Operation] extends {
  responses: { 200: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;

export type Judge = Answer<"listJudgeScorers">["judgeScorers"][number];
export type Group = Answer<"listScorerGroups">["scorerGroups"][number];

export const windows = ["24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

/** The ratings of a live judge over time, and its worst 20. `evaluatorId` is a `profileId`, or a live group's id. */
export function liveQueries(api: ProjectApi, onlineEvaluatorId: string, window: Window) {
  const params = { path: { onlineEvaluatorId }, query: { window } };
  const key = [api.projectId, "live-ratings", onlineEvaluatorId, window] as const;
  return {
    points: queryOptions({
      queryKey: [...key, "points"],
      queryFn: ({ signal }) =>
        bodyOf(api.GET("/api/v1/monitor/online-evaluators/{onlineEvaluatorId}/ratings", { params, signal })),
      placeholderData: keepPreviousData,
    }),
    worst: queryOptions({
      queryKey: [...key, "worst"],
      queryFn: ({ signal }) =>
        bodyOf(api.GET("/api/v1/monitor/online-evaluators/{onlineEvaluatorId}/events", { params, signal })),
      placeholderData: keepPreviousData,
    }),
  };
}

/** The newest runs of the project, without their results. */
export const recentRunsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "recent-runs"],
    queryFn: ({ signal }) => {
      const query = { limit: "50", caseStatistics: "none" };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs", { params: { query }, signal }));
    },
    staleTime: 60_000,
  });

const namesById = (agents: readonly Agent[]) => new Map(agents.map(({ _id, name }) => [_id, name]));

/** The names of agents by their ids. */
export const agentNamesQuery = (api: ProjectApi) =>
  queryOptions({ ...agentsQuery(api), select: namesById, staleTime: 60_000 });

/** The models available to judges. */
export const judgeModelsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "judge-models"],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/v1/custom-agent-evaluations/models", { signal }))).models,
    staleTime: 60_000,
  });
