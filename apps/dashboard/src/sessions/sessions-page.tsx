import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useWhyKey } from "../blocks/why-key.ts";
import { SessionWhy } from "../blocks/why-panel.tsx";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { countOf, formatCount } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { HowToSend } from "./how-to-send.tsx";
import { sessionsMost, sessionsQuery } from "./queries.ts";
import { SessionCard, sessionCardHeight, sessionColumns } from "./session-columns.tsx";
import {
  defaultWindow,
  isFiltered,
  type SessionRow,
  type SessionsSearch,
  type SessionWindow,
  shownSessions,
} from "./session-list.ts";
import { SessionsFilter } from "./sessions-filter.tsx";

const route = getRouteApi("/p/$projectId/sessions");
const rowKey = ({ sessionId }: SessionRow): string => sessionId;

/** The sessions of a window, with their lengths and ratings. */
export function SessionsPage() {
  const api = useApi();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/sessions" });
  const sessions = useQuery(sessionsQuery(api, search.window ?? defaultWindow));
  const change = (changed: SessionsSearch, isTyping = false): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: isTyping });
  const clear = (): void => void navigate({ search: ({ window, sort }) => ({ window, sort }) });
  const shown = useMemo(() => shownSessions(sessions.data ?? [], search), [sessions.data, search]);
  return (
    <Page
      title="Sessions"
      aside={sessions.data !== undefined && <Counts shown={shown.length} all={sessions.data.length} />}
      isFull
    >
      <SessionsFilter search={search} sessions={sessions.data ?? []} onChange={change} />
      <Loaded query={sessions}>
        {(all) => {
          if (shown.length > 0) {
            return (
              <div className="flex min-h-0 min-w-0 flex-1">
                <SessionsTable rows={shown} window={search.window ?? defaultWindow} onWhy={(why) => change({ why })} />
                {search.why !== undefined && (
                  <SessionWhy key={search.why} sessionId={search.why} onClose={() => change({ why: undefined })} />
                )}
              </div>
            );
          }
          if (all.length > 0 || isFiltered(search)) {
            return (
              <EmptyState title="No session is like that" actions={<Button onClick={clear}>Clear filters</Button>}>
                Sessions of the chosen time are there, but the filters leave none of them.
              </EmptyState>
            );
          }
          return <HowToSend isShortWindow={search.window !== "30d"} onWiden={() => change({ window: "30d" })} />;
        }}
      </Loaded>
    </Page>
  );
}

function Counts({ shown, all }: { shown: number; all: number }) {
  if (all >= sessionsMost)
    return (
      <span>
        {formatCount(shown)} of the newest {formatCount(all)}
      </span>
    );
  return <span>{shown === all ? countOf(all, "session") : `${formatCount(shown)} of ${countOf(all, "session")}`}</span>;
}

function SessionsTable({
  rows,
  window,
  onWhy,
}: {
  rows: readonly SessionRow[];
  window: SessionWindow;
  onWhy(sessionId: string): void;
}) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  // The columns keep the first function, which only navigates.
  const columns = useMemo(() => sessionColumns(projectId, window, onWhy), [projectId, window]);
  const [active, setActive] = useState<string>();
  const isRated = rows.some(({ sessionId, judgeRating }) => sessionId === active && judgeRating !== null);
  useWhyKey(active !== undefined && isRated ? () => onWhy(active) : undefined);
  return (
    <DataTable
      label="Sessions"
      rows={rows}
      columns={columns}
      rowKey={rowKey}
      activeKey={active}
      onActivate={({ sessionId }) => setActive(sessionId)}
      onOpen={({ sessionId }) =>
        void navigate({ to: "/p/$projectId/sessions/$sessionId", params: { projectId, sessionId } })
      }
      card={(row) => <SessionCard row={row} onWhy={onWhy} />}
      cardHeight={sessionCardHeight}
    />
  );
}
