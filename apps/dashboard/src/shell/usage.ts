import { queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";

export type Usage = paths["/api/v1/agent-monitoring/usage"]["get"]["responses"][200]["content"]["application/json"];

/** The project's usage today, and its quotas. */
export const usageQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "usage"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/agent-monitoring/usage", { signal })),
  });

/** The effects of an exhausted quota, a sentence for each; none while quota is left. */
export function spentQuotas({ traces, judgeCalls, onlineJudgeCalls }: Usage): string[] {
  const isSpent = ({ used, limit }: Usage["traces"]): boolean => limit !== null && used >= limit;
  return [
    ...(isSpent(traces) ? ["New traces are refused."] : []),
    ...(isSpent(judgeCalls) ? ["Results are stored without a rating."] : []),
    ...(isSpent(onlineJudgeCalls) && !isSpent(judgeCalls) ? ["Traces are not judged live."] : []),
  ];
}
