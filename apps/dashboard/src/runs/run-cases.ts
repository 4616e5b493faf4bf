import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { type CaseSearch, groupCases } from "./case-rows.ts";
import { baselineQuery, resultsQuery } from "./queries.ts";

/**
 * The cases of a run as requested by the URL, in pages, each with its difference from the previous run. The server sorts and
 * filters.
 */
export function useRunCases(runId: string, search: CaseSearch) {
  const api = useApi();
  const scorerId = search.scorer ?? null;
  const baseline = useQuery(baselineQuery(api, runId, search.scorer));
  const baselineId = baseline.data ?? null;
  const query = useInfiniteQuery({
    ...resultsQuery(api, runId, { ...search, baselineId }),
    // Waits for the baseline, so that the results are loaded only once.
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
    /** The loaded cases, in the order of the view. */
    rows,
    /** The number of matching cases and results, loaded or not. */
    caseCount: data?.pages[0]?.caseCount ?? 0,
    resultCount: data?.pages[0]?.totalCount ?? 0,
    /** The baseline of the deltas: the newest completed run before this one; null if there is none. */
    baselineId,
    /** The scorer whose ratings are shown; null means the run's own. */
    scorerId,
    readOn,
  };
}

export type RunCases = ReturnType<typeof useRunCases>;
