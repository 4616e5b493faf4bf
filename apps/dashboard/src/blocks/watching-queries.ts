import { queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";

export type Agent = paths["/api/v1/agents"]["get"]["responses"][200]["content"]["application/json"]["agents"][number];
type PatternPage = paths["/api/v1/monitor/patterns"]["get"]["responses"][200]["content"]["application/json"];
export type Pattern = PatternPage["patterns"][number];
export type AlertRule =
  paths["/api/v1/agent-monitoring/alert-rules"]["get"]["responses"][200]["content"]["application/json"]["alertRules"][number];

/** All agents of the project with how each is watched, by name. */
export const agentsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "agents"],
    queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/v1/agents", { signal }))).agents,
    staleTime: 15_000,
  });

/** The patterns that traces are checked for: the built-in ones, then the project's own. */
export const patternsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "patterns"],
    queryFn: async ({ signal }) => {
      const patterns: Pattern[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const page: PatternPage = await readPatternPage(api, cursor, signal);
        patterns.push(...page.patterns);
        cursor = page.nextCursor;
      }
      return patterns;
    },
  });

/** Large patterns take several pages. The first has no cursor. */
const readPatternPage = (api: ProjectApi, cursor: string, signal: AbortSignal): Promise<PatternPage> =>
  bodyOf(api.GET("/api/v1/monitor/patterns", { params: { query: cursor === "" ? {} : { cursor } }, signal }));

export const alertRulesQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "alert-rules"],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/v1/agent-monitoring/alert-rules", { signal }))).alertRules,
  });
