import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useWhyKey } from "../blocks/why-key.ts";
import { useApi } from "../shell/session.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import type { LiveRating } from "./live-verdict.ts";
import { liveQueries, type Window } from "./queries.ts";

export interface WorstRatingsProps {
  /** The id of the online evaluator, or of the live group. */
  evaluatorId: string;
  threshold: number | null;
  window: Window;
  onWhy(ratingId: string): void;
}

/** The worst ratings of a live judge in the window, at most 20, each with its reason. */
export function WorstRatings({ evaluatorId, threshold, window, onWhy }: WorstRatingsProps) {
  const worst = useQuery(liveQueries(useApi(), evaluatorId, window).worst);
  const [active, setActive] = useState<string>();
  useWhyKey(active === undefined ? undefined : () => onWhy(active));
  const columns = useMemo(() => columnsOf(threshold, onWhy), [threshold, onWhy]);
  return (
    <Loaded query={worst}>
      {({ events }) =>
        events.length === 0 ? (
          <p className="m-0 text-soft">It rated nothing in this time.</p>
        ) : (
          <div className="-mx-4 md:-mx-6">
            <DataTable
              label="Worst ratings"
              rows={events}
              columns={columns}
              rowKey={({ id }) => id}
              activeKey={active}
              onActivate={({ id }) => setActive(id)}
              onOpen={({ id }) => onWhy(id)}
              maxHeight={2_000}
              cardHeight={76}
              card={(said) => (
                <>
                  <div className="flex gap-3">
                    <Score rating={said.rating} threshold={threshold} onWhy={() => onWhy(said.id)} />
                    <span className="truncate text-soft">{said.input}</span>
                  </div>
                  <div className="line-clamp-2 text-ink">{said.justification}</div>
                </>
              )}
            />
          </div>
        )
      }
    </Loaded>
  );
}

function columnsOf(threshold: number | null, onWhy: (id: string) => void): Column<LiveRating>[] {
  return [
    {
      key: "rating",
      header: "Rating",
      width: "4.5rem",
      cell: ({ id, rating }) => <Score rating={rating} threshold={threshold} onWhy={() => onWhy(id)} />,
    },
    { key: "input", header: "Input", width: "minmax(8rem, 2fr)", cell: ({ input }) => input },
    {
      key: "output",
      header: "Output",
      width: "minmax(8rem, 2fr)",
      cell: ({ output }) => <span className="text-soft">{output}</span>,
    },
    { key: "why", header: "Why", width: "minmax(10rem, 3fr)", cell: ({ justification }) => justification },
    {
      key: "at",
      header: "Judged",
      width: "6rem",
      align: "right",
      cell: ({ createdAt }) => (
        <span className="text-faint">
          <Time iso={createdAt} isAge />
        </span>
      ),
    },
  ];
}
