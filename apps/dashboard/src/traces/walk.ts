import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { TracesPageData } from "./list-queries.ts";

/**
 * The ids of the list from which a trace was opened, in order; empty without a list. It is kept while the user moves from trace
 * to trace, longer than the list itself.
 */
export function useWalk(projectId: string, traceId: string): readonly string[] {
  const queries = useQueryClient();
  const queryKey = [projectId, "walk"];
  const { data } = useQuery<readonly string[]>({ queryKey, queryFn: () => [], enabled: false, initialData: [] });
  useEffect(() => {
    if (!data.includes(traceId)) queries.setQueryData(queryKey, listHolding(queries, projectId, traceId));
  }, [queries, projectId, traceId, data]);
  return data;
}

function listHolding(queries: QueryClient, projectId: string, traceId: string): readonly string[] {
  const lists = queries.getQueriesData<{ pages: readonly TracesPageData[] }>({ queryKey: [projectId, "traces"] });
  const ids = lists.map(([, list]) => list?.pages.flatMap(({ traces }) => traces.map(({ _id }) => _id)) ?? []);
  return ids.findLast((list) => list.includes(traceId)) ?? [];
}
