import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import { useApi } from "../shell/session.tsx";
import { useIsNarrow } from "../ui/media-query.ts";
import { Page } from "../ui/page.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { Loaded } from "../ui/states.tsx";
import { EmptyInbox } from "./empty-inbox.tsx";
import { InboxFilters } from "./inbox-filters.tsx";
import { type SignalFilters, signalsQuery } from "./queries.ts";
import { SignalList } from "./signal-list.tsx";
import { SignalView } from "./signal-view.tsx";
import { useSelection } from "./use-selection.ts";
import { useTriage } from "./use-triage.ts";

const route = getRouteApi("/p/$projectId/inbox");

/** The signals that need a person, with the evidence of the selected one. Keys dismiss them. */
export function InboxPage() {
  const api = useApi();
  const isNarrow = useIsNarrow();
  const { status = "open", severity, agent, search, open, seen, why, day } = route.useSearch();
  const filters: SignalFilters = { status, severity, agent, search };
  const signals = useInfiniteQuery(signalsQuery(api, filters));
  const rows = signals.data?.pages.flatMap((page) => page.signals) ?? [];
  // In a wide window a signal is always open; in a narrow one only after the user opened it. The shown signal stays
  // while others arrive above it.
  const shown = useRef<string>(undefined);
  const chosen = open ?? (isNarrow ? undefined : (rows.find(({ _id }) => _id === shown.current) ?? rows[0])?._id);
  shown.current = chosen;
  const selection = useSelection(chosen);
  const triage = useTriage(filters, selection);

  const { hasNextPage, isFetching, fetchNextPage } = signals;
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);

  const view = chosen !== undefined && (
    <SignalView
      key={chosen}
      signalId={chosen}
      seen={seen}
      why={why}
      day={day}
      show={selection.show}
      onAct={triage.act}
    />
  );
  return (
    <Page title="Inbox" isFull>
      <InboxFilters filters={filters} counts={signals.data?.pages[0]?.statusCounts} />
      <Loaded query={signals}>
        {() => (
          <div className="flex min-h-0 flex-1">
            {rows.length === 0 && !signals.isPlaceholderData ? (
              <EmptyInbox filters={filters} />
            ) : (
              <SignalList signals={rows} chosen={chosen} onChoose={selection.select} onReachEnd={readMore} />
            )}
            {view && isNarrow && (
              <SidePanel title="Signal" onClose={() => selection.select(undefined)}>
                {view}
              </SidePanel>
            )}
            {view && !isNarrow && (
              <section
                aria-label="Signal"
                tabIndex={0}
                className="min-h-0 w-[56%] overflow-auto border-l border-line px-6 py-4 outline-offset-[-2px]"
              >
                {view}
              </section>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
