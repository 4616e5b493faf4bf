import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";

type Body = paths["/api/v1/agent-monitoring/agent-figures"]["get"]["responses"][200]["content"]["application/json"];
export type AgentFigure = Body["agents"][number];
export type FiguresWindow = Body["window"];

/** The figures of each agent in a window, most failures first; refreshed while the page is visible. */
export const agentFiguresQuery = (api: ProjectApi, window: FiguresWindow) =>
  queryOptions({
    queryKey: [api.projectId, "agent-figures", window],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/agent-monitoring/agent-figures", { params: { query: { window } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
