import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { AddToDataset } from "../blocks/add-to-dataset.tsx";
import { EvaluateTrace } from "../blocks/evaluate-trace.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { useIsNarrow } from "../ui/media-query.ts";
import { Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { DeleteTracesDialog } from "./delete-traces-dialog.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { ColumnsMenu, LiveButton } from "./list-actions.tsx";
import { traceColumns } from "./list-columns.tsx";
import type { TraceRow } from "./list-queries.ts";
import { filterOf, type TracesSearch, withoutFilters } from "./list-search.ts";
import { NoTraces } from "./no-traces.tsx";
import { PeekPanel } from "./peek-panel.tsx";
import { SelectionProvider } from "./selection.tsx";
import { TracesTable } from "./traces-table.tsx";
import { canFollow, useFreshRows } from "./use-fresh-rows.ts";
import { useTracesList } from "./use-traces-list.ts";

const route = getRouteApi("/p/$projectId/traces");

type Act = { kind: "add" | "evaluate" | "delete"; traceIds: readonly string[] };

/** Every trace of a project, newest first, under the filters of the URL. */
export function TracesPage() {
  const { projectId } = useApi();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/traces" });
  const isNarrow = useIsNarrow();
  const filter = useStable(filterOf(search));
  const list = useTracesList(filter);
  const [isAtTop, setAtTop] = useState(true);
  const [activeId, setActiveId] = useState<string>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [act, setAct] = useState<Act | null>(null);

  const isFiltered = Object.keys(filter).length > 0;
  const isEmpty = list.query.data !== undefined && list.totalCount === 0;
  const isFollowed = canFollow(filter);
  const fresh = useFreshRows(filter, {
    isOn: search.paused !== true && isFollowed && !(isEmpty && !isFiltered),
    isAtTop,
  });

  const change = useCallback(
    (part: Partial<Record<keyof TracesSearch, unknown>>, replace = false) =>
      void navigate({ search: (before) => ({ ...before, ...part }) as TracesSearch, replace }),
    [navigate],
  );
  const open = ({ _id: traceId }: TraceRow): void =>
    void navigate({ to: "/p/$projectId/traces/$traceId", params: { projectId, traceId } });
  const peek = ({ _id }: TraceRow): void => change({ peek: _id }, search.peek !== undefined);
  const toggle = useCallback(
    (id: string) => setSelected((before) => (before.has(id) ? without(before, [id]) : new Set(before).add(id))),
    [],
  );
  const begin = (kind: Act["kind"]): void => {
    const traceIds = selected.size > 0 ? [...selected] : [search.peek ?? activeId ?? []].flat();
    if (traceIds.length > 0) setAct({ kind, traceIds });
  };
  const active = search.peek ?? activeId;
  useShortcuts("Traces", [
    {
      keys: "o",
      label: "Peek beside the list",
      run: () => change({ peek: search.peek === undefined ? active : undefined }),
    },
    { keys: "x", label: "Select", run: () => active !== undefined && toggle(active) },
    { keys: "a", label: "Add to a dataset", run: () => begin("add") },
    { keys: "e", label: "Evaluate", run: () => begin("evaluate") },
    { keys: "l", label: "Follow new traces or pause", run: () => change({ paused: search.paused ? undefined : true }) },
  ]);

  const columns = useMemo(() => traceColumns(projectId), [projectId]);
  const wanted = search.cols?.join(",");
  const shown = useMemo(() => {
    const names = wanted?.split(",");
    return new Set(
      columns.filter(({ key, isShownAtFirst }) => names?.includes(key) ?? isShownAtFirst).map(({ key }) => key),
    );
  }, [columns, wanted]);
  const selection = useMemo(() => ({ ids: selected, toggle }), [selected, toggle]);
  const clear = (): void => void navigate({ search: withoutFilters });
  return (
    <Page
      isFull
      title="Traces"
      aside={list.query.data && <span className="tabular-nums">{formatCount(list.totalCount)}</span>}
      actions={
        isEmpty && !isFiltered ? undefined : (
          <>
            <LiveButton
              state={fresh.state}
              isPaused={search.paused === true}
              isPossible={isFollowed}
              onToggle={() => change({ paused: search.paused ? undefined : true })}
            />
            <ColumnsMenu columns={columns} shown={shown} onChoose={(cols) => change({ cols })} />
          </>
        )
      }
    >
      {!(isEmpty && !isFiltered) && <FilterBar filter={filter} onChange={change} onClear={clear} />}
      <Loaded query={list.query}>
        {() =>
          isEmpty ? (
            isFiltered ? (
              <EmptyState title="No trace matches" actions={<Button onClick={clear}>Clear filters</Button>}>
                The project holds traces, but none that meets all of these filters.
              </EmptyState>
            ) : (
              <NoTraces />
            )
          ) : (
            <div className="flex min-h-0 flex-1 border-t border-line">
              <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
                {fresh.waiting > 0 && (
                  <Button
                    look="primary"
                    className="absolute top-10 left-1/2 z-20 -translate-x-1/2 rounded-full"
                    onClick={fresh.take}
                  >
                    {formatCount(fresh.waiting)} new ▲
                  </Button>
                )}
                <SelectionProvider value={selection}>
                  <TracesTable
                    list={list}
                    shown={shown}
                    selected={selected}
                    activeId={active}
                    onActivate={(row) => {
                      setActiveId(row._id);
                      if (search.peek !== undefined) peek(row);
                    }}
                    onPress={isNarrow ? open : peek}
                    onOpen={open}
                    onScrolledTo={(index) => setAtTop(index === 0)}
                  />
                </SelectionProvider>
                {selected.size > 0 && (
                  <BulkBar
                    count={selected.size}
                    onAdd={() => begin("add")}
                    onEvaluate={() => begin("evaluate")}
                    onDelete={() => begin("delete")}
                    onClear={() => setSelected(new Set())}
                  />
                )}
              </div>
              {search.peek !== undefined && (
                <PeekPanel
                  traceId={search.peek}
                  onClose={() => change({ peek: undefined })}
                  onAdd={() => setAct({ kind: "add", traceIds: [search.peek ?? ""] })}
                  onEvaluate={() => setAct({ kind: "evaluate", traceIds: [search.peek ?? ""] })}
                />
              )}
            </div>
          )
        }
      </Loaded>
      {act?.kind === "add" && <AddToDataset traceIds={act.traceIds} onClose={() => setAct(null)} />}
      {act?.kind === "evaluate" && <EvaluateTrace traceIds={act.traceIds} onClose={() => setAct(null)} />}
      {act?.kind === "delete" && (
        <DeleteTracesDialog
          traceIds={act.traceIds}
          filter={filter}
          onClose={() => setAct(null)}
          onDeleted={(gone) => setSelected((before) => without(before, gone))}
        />
      )}
    </Page>
  );
}

function without(ids: ReadonlySet<string>, gone: Iterable<string>): ReadonlySet<string> {
  const left = new Set(ids);
  for (const id of gone) left.delete(id);
  return left;
}

/** The same object as long as it says the same. */
function useStable<Value>(value: Value): Value {
  const key = JSON.stringify(value);
  return useMemo(() => value, [key]);
}
