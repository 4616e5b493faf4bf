import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { firstPlace } from "./fresh-rows.ts";
import { tracesQuery } from "./list-queries.ts";
import type { TracesFilter } from "./list-search.ts";

/** The loaded pages as one list, and functions to load more. */
export function useTracesList(filter: TracesFilter) {
  const query = useInfiniteQuery(tracesQuery(useApi(), filter));
  const { data, hasNextPage, hasPreviousPage, isFetching, fetchNextPage, fetchPreviousPage } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ traces }) => traces) ?? [], [data]);
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const readBack = useCallback(() => {
    if (hasPreviousPage && !isFetching) void fetchPreviousPage();
  }, [hasPreviousPage, isFetching, fetchPreviousPage]);
  return {
    query,
    rows,
    /** Rows before the first kept one, which were dropped. */
    rowsAbove: data === undefined ? 0 : firstPlace(data).above,
    totalCount: data?.pages[0]?.totalCount ?? 0,
    isAtEnd: data !== undefined && !hasNextPage,
    isReading: query.isFetchingNextPage,
    readOn,
    readBack,
  };
}

export type TracesList = ReturnType<typeof useTracesList>;
