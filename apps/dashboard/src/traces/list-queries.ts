import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { components } from "../api/schema.gen.d.ts";
import { retentionQuery } from "../blocks/retention-query.ts";
import { type Agent, agentsQuery } from "../blocks/watching-queries.ts";
import { listQueryOf, type TracesFilter } from "./list-search.ts";

export type TraceRow = components["schemas"]["TraceListItem"];

/** Rows per page, and pages that are kept; those farthest from the user are dropped and loaded again. */
const pageSize = 100;
const pagesKept = 20;

/** The start of a page, and the previous page. */
export interface PagePlace {
  cursor: string | null;
  /** The number of rows before it. */
  above: number;
  before: PagePlace | null;
}

export interface TracesPageData {
  traces: TraceRow[];
  /** The exact total over all pages. */
  totalCount: number;
  nextCursor: string | null;
}

/** The filtered list, newest first. */
export const tracesQuery = (api: ProjectApi, filter: TracesFilter) =>
  infiniteQueryOptions({
    queryKey: [api.projectId, "traces", filter],
    queryFn: async ({ pageParam, signal }): Promise<TracesPageData> => {
      const query = {
        ...listQueryOf(filter),
        limit: String(pageSize),
        view: "preview",
        ...(pageParam.cursor !== null && { cursor: pageParam.cursor }),
      };
      const { traces, totalCount, nextCursor } = await bodyOf(
        api.GET("/api/v1/ingest/traces", { params: { query }, signal }),
      );
      return { traces, totalCount, nextCursor };
    },
    initialPageParam: { cursor: null, above: 0, before: null } as PagePlace,
    getNextPageParam: ({ nextCursor, traces }, _pages, place): PagePlace | null =>
      nextCursor === null ? null : { cursor: nextCursor, above: place.above + traces.length, before: place },
    getPreviousPageParam: (_page, _pages, { before }) => before,
    maxPages: pagesKept,
    placeholderData: keepPreviousData,
    // New rows arrive by the stream; focusing the tab does not reload twenty pages.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  });

const choicesOf = (agents: readonly Agent[]) => agents.map(({ _id: value, name: label }) => ({ value, label }));

/** The project's agents, for the filter. */
export const agentNamesQuery = (api: ProjectApi) =>
  queryOptions({ ...agentsQuery(api), select: choicesOf, staleTime: 60_000 });

/** The models of the last 30 days, most used first, for the filter. */
export const modelNamesQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "model-names"],
    queryFn: async ({ signal }) => {
      const params = { query: { window: "30d" } };
      const { models } = await bodyOf(api.GET("/api/v1/agent-monitoring/model-comparison", { params, signal }));
      return models.flatMap(({ model }) => model ?? []);
    },
    staleTime: 60_000,
  });

/** The number of days after which traces are deleted; null if they are kept. */
export const retentionDaysQuery = (api: ProjectApi) =>
  queryOptions({ ...retentionQuery(api), select: ({ effectiveRetentionDays }) => effectiveRetentionDays });
