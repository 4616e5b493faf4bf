import { queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";

/** The retention of traces. */
export const retentionQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "retention"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/agent-monitoring/settings/retention", { signal })),
  });
