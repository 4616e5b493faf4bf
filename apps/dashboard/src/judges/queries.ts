import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
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
export type LiveRating = Answer<"listLiveRatingEvents">["events"][number];

/** A live judge or a live group, by the id under which it rates. */
export interface LiveScorer {
  evaluatorId: string;
  threshold: number | null;
}

export const windows = ["24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

/** The ratings to list: those of the window, or those judged from `from` on and before `to`. */
export interface RatingsSearch {
  window: Window;
  from?: string | undefined;
  to?: string | undefined;
}

const ratingsKey = (api: ProjectApi, evaluatorId: string) => [api.projectId, "live-ratings", evaluatorId] as const;

/** The ratings of a live judge over time. `evaluatorId` is a `profileId`, or a live group's id. */
export const ratingPointsQuery = (api: ProjectApi, evaluatorId: string, window: Window) =>
  queryOptions({
    queryKey: [...ratingsKey(api, evaluatorId), "points", window],
    queryFn: ({ signal }) => {
      const params = { path: { onlineEvaluatorId: evaluatorId }, query: { window } };
      return bodyOf(api.GET("/api/v1/monitor/online-evaluators/{onlineEvaluatorId}/ratings", { params, signal }));
    },
    placeholderData: keepPreviousData,
  });

/** Each of these ratings, worst first, in pages. */
export const ratingsQuery = (api: ProjectApi, evaluatorId: string, { window, from, to }: RatingsSearch) =>
  infiniteQueryOptions({
    queryKey: [...ratingsKey(api, evaluatorId), "events", { window, from, to }],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        window,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(pageParam !== null && { cursor: pageParam }),
      };
      const params = { path: { onlineEvaluatorId: evaluatorId }, query };
      return bodyOf(api.GET("/api/v1/monitor/online-evaluators/{onlineEvaluatorId}/events", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

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
