import { queryOptions } from "@tanstack/react-query";
import { accountApi } from "../api/account-client.ts";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import type { paths } from "../api/schema.gen.d.ts";
import { readDatasetPage } from "../blocks/dataset-summaries.ts";

type ModelList =
  paths["/api/v1/agent-monitoring/portability/models"]["get"]["responses"][200]["content"]["application/json"];
/** A model of the catalogue. Prices are USD per million tokens. */
export type PricedModel = ModelList["models"][number];

/** The settings of the project; provider keys are masked. */
export const settingsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "settings"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/agent-monitoring/settings", { signal })),
  });

/** The price catalogue, with the default model first. */
export const modelsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "models"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/agent-monitoring/portability/models", { signal })),
  });

/** The source of each model of the catalogue. */
export const catalogueQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "models", "catalogue"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/agent-monitoring/models/catalog", { signal })),
  });

/** Models that have recorded tokens and no price. */
export const unpricedQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "models", "unpriced"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/agent-monitoring/portability/models/unpriced", { signal })),
  });

/** The number of traces, in total or before a time in ISO 8601. */
export const traceCountQuery = (api: ProjectApi, before?: string) =>
  queryOptions({
    queryKey: [api.projectId, "trace-count", before ?? null],
    queryFn: async ({ signal }) => {
      const query = { limit: "1", ...(before !== undefined && { to: before }) };
      return (await bodyOf(api.GET("/api/v1/ingest/traces", { params: { query }, signal }))).totalCount;
    },
  });

/** The data that is deleted with the project. */
export const projectCountsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "counts"],
    queryFn: async ({ signal }) => {
      const [{ totalCount }, { agents }, { totalCount: datasets }] = await Promise.all([
        bodyOf(api.GET("/api/v1/ingest/traces", { params: { query: { limit: "1" } }, signal })),
        bodyOf(api.GET("/api/v1/agents", { signal })),
        readDatasetPage(api, { limit: "1" }, signal),
      ]);
      return { traces: totalCount, agents: agents.length, datasets };
    },
  });

/** What the database holds, all projects together. */
export type StoredAmounts = paths["/api/v1/admin/system"]["get"]["responses"][200]["content"]["application/json"];

export type Installation = { stored: StoredAmounts } | { refused: "wrong token" | "no token is set" };

/** What the operator's token opens; nothing is asked without one. It is refreshed while the page is open. */
export const installationQuery = (token: string | null) =>
  queryOptions({
    queryKey: ["installation", token],
    async queryFn({ signal }): Promise<Installation> {
      try {
        const headers = { "x-admin-token": token ?? "" };
        return { stored: await bodyOf(accountApi.GET("/api/v1/admin/system", { headers, signal })) };
      } catch (problem) {
        // A 401 that a query throws ends the session on the pages of an account.
        if (problem instanceof ApiProblem && problem.status === 401) return { refused: "wrong token" };
        if (problem instanceof ApiProblem && problem.status === 404) return { refused: "no token is set" };
        throw problem;
      }
    },
    enabled: token !== null,
    refetchInterval: ({ state: { data } }) => (data !== undefined && "stored" in data ? 60_000 : false),
    gcTime: 0,
  });
