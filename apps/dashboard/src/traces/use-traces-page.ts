import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useApi } from "../shell/session.tsx";
import type { TraceRow } from "./list-queries.ts";
import { canFollow, filterOf, type TracesSearch, withoutFilters } from "./list-search.ts";
import { useFreshRows } from "./use-fresh-rows.ts";
import { useSelection } from "./use-selection.ts";
import { useTracesList } from "./use-traces-list.ts";

const route = getRouteApi("/p/$projectId/traces");

/** An action on traces of the list that opens a dialog. */
export interface ListAct {
  kind: "add" | "evaluate" | "delete";
  traceIds: readonly string[];
}

/** A change of the search; undefined members are removed. */
export type SearchChange = { [Name in keyof TracesSearch]?: TracesSearch[Name] | undefined };

/** The state of the traces page from its URL: the list, the position in it, and its actions. */
export function useTracesPage() {
  const { projectId } = useApi();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/traces" });
  const filter = useStable(filterOf(search));
  const list = useTracesList(filter);
  const selection = useSelection(list.rows);
  const [isAtTop, setAtTop] = useState(true);
  const [activeId, setActiveId] = useState<string>();
  const [act, setAct] = useState<ListAct | null>(null);

  const isFiltered = Object.keys(filter).length > 0;
  // Until the list of a new filter is there, the list of the one before it is shown.
  const isEmpty = list.query.data !== undefined && !list.query.isPlaceholderData && list.totalCount === 0;
  const isUnused = isEmpty && !isFiltered;
  const isFollowed = canFollow(filter);
  const isOn = search.paused !== true && isFollowed && !isUnused;
  const fresh = useFreshRows(filter, { isOn, isAtTop });

  const change = useCallback(
    (part: SearchChange, replace = false) =>
      void navigate({ search: (before) => ({ ...before, ...part }) as TracesSearch, replace }),
    [navigate],
  );
  const active = search.peek ?? activeId;
  const peek = useCallback(
    (traceId: string | undefined, why?: true) => change({ peek: traceId, why }, search.peek !== undefined),
    [change, search.peek],
  );
  return {
    search,
    filter,
    list,
    selection,
    fresh,
    /** The row that keys act on. */
    active,
    act,
    setAct,
    isFiltered,
    isEmpty,
    /** The project has no traces at all. */
    isUnused,
    isFollowed,
    change,
    peek,
    clearFilters: () => void navigate({ search: withoutFilters }),
    scrolledTo: useCallback((index: number) => setAtTop(index === 0), []),
    activate(row: TraceRow) {
      setActiveId(row._id);
      if (search.peek !== undefined) peek(row._id, search.why);
    },
    open: ({ _id: traceId }: TraceRow) =>
      void navigate({ to: "/p/$projectId/traces/$traceId", params: { projectId, traceId } }),
    togglePause: () => change({ paused: search.paused ? undefined : true }),
    /** Acts on the selection, else on the active row. */
    begin(kind: ListAct["kind"]) {
      const traceIds = selection.ids.size > 0 ? [...selection.ids] : active === undefined ? [] : [active];
      if (traceIds.length > 0) setAct({ kind, traceIds });
    },
  };
}

export type TracesPageState = ReturnType<typeof useTracesPage>;

/** Returns the same object while its content is the same. */
function useStable<Value>(value: Value): Value {
  const key = JSON.stringify(value);
  return useMemo(() => value, [key]);
}
