import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";

export const windows = ["24h", "7d", "30d"] as const;
export type Window = (typeof windows)[number];

/** How a live judge rated over time, and its worst 20 ratings. `evaluatorId` is a `profileId`, or a live group's id. */
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
