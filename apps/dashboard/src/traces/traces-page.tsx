import { useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { ColumnsMenu, LiveButton } from "./list-actions.tsx";
import { ListBody } from "./list-body.tsx";
import { shownColumns, traceColumns } from "./list-columns.tsx";
import { NoTraces } from "./no-traces.tsx";
import { TimeHistogram } from "./time-histogram.tsx";
import { type TracesPageState, useTracesPage } from "./use-traces-page.ts";

const ListDialogs = lazyPart(async () => (await import("./list-dialogs.tsx")).ListDialogs);

/** All traces of a project, newest first, filtered by the URL. */
export function TracesPage() {
  const { projectId } = useApi();
  const page = useTracesPage();
  const { search, filter, list, fresh } = page;
  useListKeys(page);

  const columns = useMemo(() => traceColumns(projectId), [projectId]);
  const wanted = search.cols?.join(",");
  const hasRoom = search.peek === undefined;
  const shown = useMemo(
    () => shownColumns(columns, { chosen: wanted?.split(","), hasRoom }),
    [columns, wanted, hasRoom],
  );
  return (
    <Page
      isFull
      title="Traces"
      aside={list.query.data && <span className="tabular-nums">{formatCount(list.totalCount)}</span>}
      actions={
        !page.isUnused && (
          <>
            <LiveButton
              state={fresh.state}
              isPaused={search.paused === true}
              isPossible={page.isFollowed}
              onToggle={page.togglePause}
            />
            <ColumnsMenu columns={columns} shown={shown} onChoose={(cols) => page.change({ cols })} />
          </>
        )
      }
    >
      {!page.isUnused && (
        <>
          <FilterBar filter={filter} onChange={page.change} onClear={page.clearFilters} />
          <TimeHistogram
            filter={filter}
            totalCount={list.query.isPlaceholderData ? undefined : list.query.data && list.totalCount}
            onChange={page.change}
          />
        </>
      )}
      <Loaded query={list.query}>
        {() => {
          if (!page.isEmpty) return <ListBody page={page} shown={shown} />;
          return page.isFiltered ? <NoMatch onClear={page.clearFilters} /> : <NoTraces />;
        }}
      </Loaded>
      {page.act !== null && <ListDialogs page={page} act={page.act} />}
    </Page>
  );
}

function NoMatch({ onClear }: { onClear(): void }) {
  return (
    <EmptyState title="No trace matches" actions={<Button onClick={onClear}>Clear filters</Button>}>
      Nothing in this project meets all of these filters.
    </EmptyState>
  );
}

function useListKeys(page: TracesPageState): void {
  const { search, active, selection, peek, begin, togglePause } = page;
  useShortcuts("Traces", [
    {
      keys: "o",
      label: "Peek beside the list",
      run: () => peek(search.peek === undefined ? active : undefined),
    },
    {
      keys: "w",
      label: "Why this score",
      run: () => active !== undefined && peek(active, search.why ? undefined : true),
    },
    { keys: "x", label: "Select", run: () => active !== undefined && selection.toggle(active) },
    { keys: "a", label: "Add to a dataset", run: () => begin("add") },
    { keys: "e", label: "Evaluate", run: () => begin("evaluate") },
    { keys: "l", label: "Follow new traces, or pause", run: togglePause },
  ]);
}
