import { useMemo } from "react";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { useIsNarrow } from "../ui/media-query.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { ListStateProvider } from "./selection.tsx";
import { TracesTable } from "./traces-table.tsx";
import type { TracesPageState } from "./use-traces-page.ts";

const PeekPanel = lazyPart(async () => (await import("./peek-panel.tsx")).PeekPanel);

/** The rows, the new rows waiting above them, the actions on the selection, and the panel beside the list. */
export function ListBody({ page, shown }: { page: TracesPageState; shown: ReadonlySet<string> }) {
  const { list, selection, fresh, search, peek, change } = page;
  const isNarrow = useIsNarrow();
  const { ids, chosen, toggle, toggleAll, clear } = selection;
  const state = useMemo(
    () => ({ ids, chosen, toggle, toggleAll, showWhy: (id: string) => peek(id, true) }),
    [ids, chosen, toggle, toggleAll, peek],
  );
  return (
    <div className="flex min-h-0 flex-1 border-t border-line">
      <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
        {fresh.waiting > 0 && (
          <Button
            look="primary"
            className="absolute top-10 left-1/2 z-20 -translate-x-1/2 rounded-full max-md:top-3"
            onClick={fresh.take}
          >
            {formatCount(fresh.waiting)} new <span aria-hidden>▲</span>
          </Button>
        )}
        <ListStateProvider value={state}>
          <TracesTable
            list={list}
            shown={shown}
            selected={ids}
            activeId={page.active}
            onActivate={page.activate}
            onPress={isNarrow ? page.open : ({ _id }) => peek(_id, search.why)}
            onOpen={page.open}
            onScrolledTo={page.scrolledTo}
          />
        </ListStateProvider>
        {ids.size > 0 && <BulkBar count={ids.size} onBegin={page.begin} onClear={clear} />}
      </div>
      {search.peek !== undefined && (
        <PeekPanel
          traceId={search.peek}
          isWhy={search.why === true}
          onWhy={(isWhy) => change({ why: isWhy ? true : undefined }, true)}
          onClose={() => change({ peek: undefined, why: undefined })}
          onAct={(kind) => page.setAct({ kind, traceIds: [search.peek ?? ""] })}
        />
      )}
    </div>
  );
}
