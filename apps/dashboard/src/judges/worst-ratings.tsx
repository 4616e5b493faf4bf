import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Verdict } from "../blocks/verdict.ts";
import { useWhyKey, WhyPanel } from "../blocks/why-panel.tsx";
import { useApi } from "../shell/session.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { liveQueries, type Window } from "./queries.ts";

interface LiveRating {
  id: string;
  traceId: string | null;
  sessionId: string | null;
  rating: number;
  justification: string | null;
  createdAt: string;
  input: string | null;
  output: string | null;
}

/** What a live judge rated worst, each with why. */
export function WorstRatings({
  evaluatorId,
  threshold,
  window,
}: {
  evaluatorId: string;
  threshold: number | null;
  window: Window;
}) {
  const api = useApi();
  const worst = useQuery(liveQueries(api, evaluatorId, window).worst);
  const [active, setActive] = useState<string>();
  const [open, setOpen] = useState<string>();
  useWhyKey(active === undefined ? undefined : () => setOpen(active));
  const events = worst.data?.events ?? [];
  const shown = events.find(({ id }) => id === open);
  const columns: Column<LiveRating>[] = [
    {
      key: "rating",
      header: "Rating",
      width: "5rem",
      cell: ({ id, rating }) => <Score rating={rating} threshold={threshold} onWhy={() => setOpen(id)} />,
    },
    { key: "input", header: "Input", width: "minmax(8rem,1fr)", cell: ({ input }) => input },
    { key: "justification", header: "Why", width: "minmax(8rem,2fr)", cell: ({ justification }) => justification },
    { key: "at", header: "Judged", width: "6rem", cell: ({ createdAt }) => <Time iso={createdAt} isAge /> },
  ];
  return (
    <div className="flex min-h-0 flex-1">
      <div className="min-w-0 flex-1">
        <Loaded query={worst}>
          {({ events: rows }) => (
            <DataTable
              label="Worst ratings"
              rows={rows}
              columns={columns}
              rowKey={({ id }) => id}
              activeKey={active}
              onActivate={({ id }) => setActive(id)}
              onOpen={({ id }) => setOpen(id)}
              maxHeight={720}
              card={({ rating, justification }) => (
                <>
                  <Score rating={rating} threshold={threshold} /> {justification}
                </>
              )}
            />
          )}
        </Loaded>
      </div>
      {shown !== undefined && (
        <WhyPanel verdicts={[verdictOf(shown, evaluatorId, threshold)]} onClose={() => setOpen(undefined)} />
      )}
    </div>
  );
}

function verdictOf(said: LiveRating, evaluatorId: string, threshold: number | null): Verdict {
  return {
    key: said.id,
    verdictId: null,
    scorer: { kind: "judge", name: null, settingsId: null, evaluatorId, version: null },
    status: "scored",
    rating: said.rating,
    threshold,
    justification: said.justification,
    skipCode: null,
    source: "live",
    model: null,
    createdAt: said.createdAt,
    traceId: said.traceId,
    sessionId: said.sessionId,
  };
}
