import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";
import { momentOf } from "../ui/time-windows.ts";

export type ListedVote =
  paths["/api/v1/feedback"]["get"]["responses"][200]["content"]["application/json"]["feedback"][number];

/** The votes to list; `from` may be a window such as `24h`. */
export interface VotesSearch {
  rating?: "up" | "down" | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The votes on all traces, newest first, in pages; refreshed while they are visible. */
export const votesQuery = (api: ProjectApi, { rating, from, to }: VotesSearch) =>
  infiniteQueryOptions({
    queryKey: [api.projectId, "votes", { rating, from, to }],
    queryFn: ({ pageParam, signal }) => {
      const now = Date.now();
      const query = {
        ...(rating !== undefined && { rating }),
        ...(from !== undefined && { from: momentOf(from, now) }),
        ...(to !== undefined && { to: momentOf(to, now) }),
        ...(pageParam !== null && { cursor: pageParam }),
      };
      return bodyOf(api.GET("/api/v1/feedback", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
