import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";
import type { Severity } from "../blocks/severities.ts";
import { type StatusChoice, statusesOf } from "./rules.ts";

type SignalPage = paths["/api/v1/monitor/signals"]["get"]["responses"][200]["content"]["application/json"];
export type SignalDetail =
  paths["/api/v1/monitor/signals/{signalId}"]["get"]["responses"][200]["content"]["application/json"];
export type Signal = SignalDetail["signal"];
export type Occurrence = Signal["occurrences"][number];
export type ListedSignal = SignalPage["signals"][number];

export interface SignalFilters {
  status: StatusChoice;
  severity?: Severity | undefined;
  agent?: string | undefined;
  search?: string | undefined;
}

const freshMs = 15_000;

/** A paged list of signals, last seen first, without their occurrences. */
export const signalsQuery = (api: ProjectApi, { status, severity, agent, search }: SignalFilters) =>
  infiniteQueryOptions({
    queryKey: [api.projectId, "signals", "list", { status, severity, agent, search }],
    queryFn: ({ pageParam, signal }) => {
      const statuses = statusesOf(status);
      const query = {
        view: "summary",
        limit: "50",
        ...(statuses !== null && { status: statuses.join(",") }),
        ...(severity !== undefined && { severity }),
        ...(agent !== undefined && { agentId: agent }),
        ...(search !== undefined && { search }),
        ...(pageParam !== null && { cursor: pageParam }),
      } as const;
      return bodyOf(api.GET("/api/v1/monitor/signals", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: freshMs,
  });

/** One signal with its occurrences and its last 30 days. */
export const signalQuery = (api: ProjectApi, signalId: string) =>
  queryOptions({
    queryKey: [api.projectId, "signals", "one", signalId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/monitor/signals/{signalId}", { params: { path: { signalId } }, signal })),
  });

/** Each time a signal was seen, from `from` on and before `to`, newest first, in pages. */
export const signalEventsQuery = (
  api: ProjectApi,
  signalId: string,
  period: { from?: string | undefined; to?: string | undefined },
) =>
  infiniteQueryOptions({
    queryKey: [api.projectId, "signals", "events", signalId, period],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...(period.from !== undefined && { from: period.from }),
        ...(period.to !== undefined && { to: period.to }),
        ...(pageParam !== null && { cursor: pageParam }),
      };
      const params = { path: { signalId }, query };
      return bodyOf(api.GET("/api/v1/monitor/signals/{signalId}/events", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** The judges that rate traces as they arrive. */
export const liveScorersQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "online-evaluators"],
    queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/v1/monitor/online-evaluators", { signal }))).evaluators,
    staleTime: 60_000,
  });
