import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";
import type { deliveryStatuses, Window } from "./rules.ts";

export type Webhook =
  paths["/api/v1/agent-monitoring/webhooks"]["get"]["responses"][200]["content"]["application/json"]["webhooks"][number];
export type Delivery =
  paths["/api/v1/agent-monitoring/webhook-deliveries"]["get"]["responses"][200]["content"]["application/json"]["deliveries"][number];

export const webhooksQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "webhooks"],
    queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/v1/agent-monitoring/webhooks", { signal }))).webhooks,
  });

export interface DeliveryFilters {
  webhook?: string | undefined;
  status?: (typeof deliveryStatuses)[number] | undefined;
}

/** Messages to receivers: sent, pending or given up; newest first, in pages. */
export const deliveriesQuery = (api: ProjectApi, { webhook, status }: DeliveryFilters) =>
  infiniteQueryOptions({
    queryKey: [api.projectId, "webhook-deliveries", { webhook, status }],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: "50",
        ...(webhook !== undefined && { webhookId: webhook }),
        ...(status !== undefined && { status }),
        ...(pageParam !== null && { cursor: pageParam }),
      };
      return bodyOf(api.GET("/api/v1/agent-monitoring/webhook-deliveries", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

/** Every agent with how many of its traces are stored and when the newest one came. */
export const trackedAgentsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "tracked-agents"],
    queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/v1/ingest/tracked-agents", { signal }))).agents,
    refetchInterval: 15_000,
  });

/** What all spans of one agent come to in a window, by stretches of it. */
export const agentMetricsQuery = (api: ProjectApi, agentId: string, window: Window) =>
  queryOptions({
    queryKey: [api.projectId, "agent-metrics", agentId, window],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/agent-monitoring/metrics", { params: { query: { window, agentId } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

/** What one agent cost in a window, by model. */
export const agentCostsQuery = (api: ProjectApi, agentId: string, window: Window) =>
  queryOptions({
    queryKey: [api.projectId, "agent-costs", agentId, window],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/agent-monitoring/cost-trend", { params: { query: { window, agentId } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

/** How one agent did over a window, by stretches of it. */
export const agentTrendQuery = (api: ProjectApi, agentId: string, window: Window) =>
  queryOptions({
    queryKey: [api.projectId, "agent-trend", agentId, window],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/agent-monitoring/trend", { params: { query: { window, agentId } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

/** What fails in one agent, most often first. */
export const agentFailuresQuery = (api: ProjectApi, agentId: string, window: Window) =>
  queryOptions({
    queryKey: [api.projectId, "agent-failures", agentId, window],
    queryFn: async ({ signal }) => {
      const params = { query: { window, agentId } };
      return (await bodyOf(api.GET("/api/v1/agent-monitoring/top-failing", { params, signal }))).patterns;
    },
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
