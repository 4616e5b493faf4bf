import { useInfiniteQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { SessionLink } from "../blocks/evidence-links.tsx";
import { useWhyKey } from "../blocks/why-key.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { countOf, formatTime } from "../ui/format.ts";
import { Section, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { type LiveRating, type LiveScorer, type RatingsSearch, ratingsQuery } from "./queries.ts";
import { ratingsHash } from "./rating-points.ts";

export interface RatingListProps {
  scorer: LiveScorer;
  search: RatingsSearch;
  /** Lists all ratings of the window again, after a point of a chart chose those of its time. */
  onShowAll(): void;
  onWhy(rated: LiveRating): void;
}

/** The ratings of a live judge or group, worst first, each with its reason. */
export function RatingList({ scorer: { evaluatorId, threshold }, search, onShowAll, onWhy }: RatingListProps) {
  const ratings = useInfiniteQuery(ratingsQuery(useApi(), evaluatorId, search));
  const rows = useMemo(() => ratings.data?.pages.flatMap(({ events }) => events) ?? [], [ratings.data]);
  const total = ratings.data?.pages[0]?.totalCount;
  const [activeId, setActiveId] = useState<string>();
  const active = rows.find(({ id }) => id === activeId);
  useWhyKey(active && (() => onWhy(active)));
  const isOfSessions = rows.every(isOfSession);
  const columns = useMemo(() => columnsOf(threshold, onWhy, isOfSessions), [threshold, onWhy, isOfSessions]);
  const { from, to } = search;
  const section = useFocusByHash(from);
  return (
    <div ref={section} tabIndex={-1} className="outline-none">
      <Section
        title="Ratings, worst first"
        aside={
          <>
            {total !== undefined && countOf(total, "rating")}
            {from !== undefined && ` from ${formatTime(from)}`}
            {to !== undefined && ` to ${formatTime(to)}`}
          </>
        }
        actions={from !== undefined && <Button onClick={onShowAll}>All of the window</Button>}
      >
        <Loaded query={ratings}>
          {() =>
            rows.length === 0 ? (
              <p className="m-0 text-soft">It rated nothing in this time.</p>
            ) : (
              <div className="-mx-4 md:-mx-6">
                <DataTable
                  label="Ratings"
                  rows={rows}
                  columns={columns}
                  rowKey={({ id }) => id}
                  activeKey={activeId}
                  onActivate={({ id }) => setActiveId(id)}
                  onOpen={onWhy}
                  onReachEnd={() => {
                    if (ratings.hasNextPage && !ratings.isFetching) void ratings.fetchNextPage();
                  }}
                  maxHeight={680}
                  cardHeight={76}
                  card={(said) => (
                    <>
                      <div className="flex gap-3">
                        <Score rating={said.rating} threshold={threshold} onWhy={() => onWhy(said)} />
                        <span className="truncate text-soft">
                          {isOfSession(said) ? <SessionLink sessionId={said.sessionId} /> : said.input}
                        </span>
                      </div>
                      <div className="line-clamp-2 text-ink">{said.justification}</div>
                    </>
                  )}
                />
              </div>
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}

/** Focuses the element, which brings it into view, when a link or a point of a chart opened the ratings. */
function useFocusByHash(from: string | undefined) {
  const element = useRef<HTMLDivElement>(null);
  const isOpened = useLocation({ select: ({ hash }) => hash === ratingsHash });
  useEffect(() => {
    if (isOpened) element.current?.focus();
  }, [isOpened, from]);
  return element;
}

/** A rating of a whole session has no trace. */
const isOfSession = (rated: LiveRating): rated is LiveRating & { sessionId: string } =>
  rated.traceId === null && rated.sessionId !== null;

function columnsOf(
  threshold: number | null,
  onWhy: (rated: LiveRating) => void,
  isOfSessions: boolean,
): Column<LiveRating>[] {
  const texts: Column<LiveRating>[] = [
    { key: "input", header: "Input", width: "minmax(8rem, 2fr)", cell: ({ input }) => input },
    {
      key: "output",
      header: "Output",
      width: "minmax(8rem, 2fr)",
      cell: ({ output }) => <span className="text-soft">{output}</span>,
    },
  ];
  const session: Column<LiveRating> = {
    key: "session",
    header: "Session",
    width: "minmax(8rem, 1fr)",
    cell: (rated) => isOfSession(rated) && <SessionLink sessionId={rated.sessionId} />,
  };
  return [
    {
      key: "rating",
      header: "Rating",
      width: "4.5rem",
      cell: (rated) => <Score rating={rated.rating} threshold={threshold} onWhy={() => onWhy(rated)} />,
    },
    ...(isOfSessions ? [session] : texts),
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
