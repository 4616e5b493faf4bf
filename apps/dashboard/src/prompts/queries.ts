import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { components, paths } from "../api/schema.gen.d.ts";

export type Prompt = components["schemas"]["Prompt"];
export type VersionFigure = PromptVersions["versions"][number];
type PromptVersions =
  paths["/api/v1/agent-monitoring/prompt-versions"]["get"]["responses"][200]["content"]["application/json"];

/** The key of everything that was read of the project's prompts. */
export const promptsKey = (api: ProjectApi) => [api.projectId, "prompts"] as const;

/** The project's prompts at their newest versions, by name, a page at a time. */
export const promptsQuery = (api: ProjectApi) =>
  infiniteQueryOptions({
    queryKey: [...promptsKey(api), "list"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: "100", ...(pageParam !== undefined && { cursor: pageParam }) };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/prompts", { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** A prompt at one of its versions; undefined: the newest. */
export const promptQuery = (api: ProjectApi, promptId: string, version?: number) =>
  queryOptions({
    queryKey: [...promptsKey(api), promptId, version ?? "newest"],
    queryFn: ({ signal }) => {
      const query = version === undefined ? {} : { version: String(version) };
      const params = { path: { promptId }, query };
      return bodyOf(api.GET("/api/v1/custom-agent-evaluations/prompts/{promptId}", { params, signal }));
    },
    placeholderData: keepPreviousData,
  });

/** How the traces of the last 30 days did that name a prompt, by its version. */
export const versionFiguresQuery = (api: ProjectApi, name: string) =>
  queryOptions({
    queryKey: [...promptsKey(api), "figures", name],
    queryFn: ({ signal }) => {
      const params = { query: { name, window: "30d" } };
      return bodyOf(api.GET("/api/v1/agent-monitoring/prompt-versions", { params, signal }));
    },
  });
