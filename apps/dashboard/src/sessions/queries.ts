import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { components } from "../api/schema.gen.d.ts";
import type { SessionWindow } from "./session-list.ts";

export type Turn = components["schemas"]["TraceListItem"];

const freshMs = 15_000;
const turnsAtOnce = 100;

/** The maximum number of sessions that the API returns, newest first. */
export const sessionsMost = 1_000;

/** The sessions of a window, newest activity first. */
export const sessionsQuery = (api: ProjectApi, window: SessionWindow) =>
  queryOptions({
    queryKey: [api.projectId, "sessions", window],
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.GET("/api/v1/agent-monitoring/sessions", { params: { query: { window, view: "preview" } }, signal }),
        )
      ).sessions,
    placeholderData: keepPreviousData,
    refetchInterval: freshMs,
  });

/** The turns of a session, newest first: its root traces. */
export const turnsQuery = (api: ProjectApi, sessionId: string) =>
  infiniteQueryOptions({
    queryKey: [api.projectId, "session-turns", sessionId],
    queryFn: ({ pageParam, signal }) => {
      const query = { sessionId, limit: String(turnsAtOnce), ...(pageParam !== null && { cursor: pageParam }) };
      return bodyOf(api.GET("/api/v1/ingest/traces", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: freshMs,
  });

/** The scores of clients that name a session, newest first. */
export const clientScoresQuery = (api: ProjectApi, sessionId: string) =>
  queryOptions({
    queryKey: [api.projectId, "session-client-scores", sessionId],
    queryFn: async ({ signal }) => {
      const query = { sessionId, limit: "100" };
      return (await bodyOf(api.GET("/api/v1/scores", { params: { query }, signal }))).scores;
    },
    refetchInterval: freshMs,
  });
