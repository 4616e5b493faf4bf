import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { type CaseSearch, groupCases } from "./case-rows.ts";
import { baselineQuery, resultsQuery } from "./queries.ts";

/**
 * The cases of a run as the URL asks for them, page by page, each with its difference to the run before. The server sorts and
 * filters.
 */
export function useRunCases(runId: string, search: CaseSearch) {
  const api = useApi();
  const scorerId = search.scorer ?? null;
  const baseline = useQuery(baselineQuery(api, runId, search.scorer));
  const baselineId = baseline.data ?? null;
  const query = useInfiniteQuery({
    ...resultsQuery(api, runId, { ...search, baselineId }),
    // Read once, with the run that the cases are held against.
    enabled: !baseline.isPending,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const rows = useMemo(
    () =>
      groupCases(
        (data?.pages ?? []).flatMap(({ results }) => results),
        scorerId,
      ),
    [data, scorerId],
  );
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return {
    query,
    /** Those that were read, in the order of the view. */
    rows,
    /** Cases and results that match, read or not. */
    caseCount: data?.pages[0]?.caseCount ?? 0,
    resultCount: data?.pages[0]?.totalCount ?? 0,
    /** The run that deltas are against: the newest completed one before; null when there is none. */
    baselineId,
    /** Whose ratings are shown; null = the run's own. */
    scorerId,
    readOn,
  };
}

export type RunCases = ReturnType<typeof useRunCases>;
