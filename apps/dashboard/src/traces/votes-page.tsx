import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useMemberNames } from "../blocks/member-names.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { FilterMenu } from "../ui/filter-menu.tsx";
import { formatCount } from "../ui/format.ts";
import { ThumbDownIcon, ThumbUpIcon } from "../ui/icons.tsx";
import { Page, Time } from "../ui/page.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { windowOptions } from "../ui/time-windows.ts";
import { type ListedVote, votesQuery } from "./votes-query.ts";

const route = getRouteApi("/p/$projectId/votes");

const ratings = [
  { value: "down", label: "Down" },
  { value: "up", label: "Up" },
] as const;

/** People's votes on all traces, newest first, by vote and by when they were given. */
export function VotesPage() {
  const api = useApi();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/votes" });
  const votes = useInfiniteQuery(votesQuery(api, search));
  const rows = useMemo(() => votes.data?.pages.flatMap(({ feedback }) => feedback) ?? [], [votes.data]);
  const total = votes.data?.pages[0]?.totalCount;
  return (
    <Page title="Votes" aside={total !== undefined && <span>{formatCount(total)}</span>} isFull>
      <div className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
        <FilterMenu
          label="Vote"
          chosen={search.rating}
          options={ratings}
          onChoose={(chosen) =>
            void navigate({
              search: (before) => ({ ...before, rating: ratings.find(({ value }) => value === chosen)?.value }),
            })
          }
        />
        <FilterMenu
          label="Time"
          chosen={search.from}
          options={windowOptions}
          onChoose={(from) => void navigate({ search: (before) => ({ ...before, from, to: undefined }) })}
        />
      </div>
      <Loaded query={votes}>
        {() =>
          rows.length === 0 ? (
            <EmptyState
              title="No vote matches"
              actions={<Button onClick={() => void navigate({ search: {} })}>Clear filters</Button>}
            />
          ) : (
            <VotesTable
              votes={rows}
              onReachEnd={() => {
                if (votes.hasNextPage && !votes.isFetching) void votes.fetchNextPage();
              }}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function VotesTable({ votes, onReachEnd }: { votes: readonly ListedVote[]; onReachEnd(): void }) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [active, setActive] = useState<string>();
  const nameOf = useMemberNames(votes.some(({ authorId }) => authorId !== null));
  const author = ({ authorId, endUserId }: ListedVote): string =>
    authorId === null ? (endUserId ?? "-") : nameOf(authorId);
  const columns: readonly Column<ListedVote>[] = [
    { key: "vote", header: "Vote", width: "5rem", cell: (vote) => <Thumb vote={vote} /> },
    {
      key: "comment",
      header: "Comment",
      width: "minmax(10rem, 3fr)",
      cell: ({ comment }) => <span title={comment}>{comment ?? <span className="text-faint">-</span>}</span>,
    },
    { key: "author", header: "By", width: "minmax(6rem, 1fr)", cell: author },
    {
      key: "trace",
      header: "Trace",
      width: "minmax(14rem, 2fr)",
      cell: (vote) => <VotedTrace vote={vote} />,
    },
    {
      key: "given",
      header: "Given",
      width: "7rem",
      align: "right",
      cell: ({ createdAt }) => <Time iso={createdAt} />,
    },
  ];
  return (
    <DataTable
      label="Votes"
      rows={votes}
      columns={columns}
      rowKey={({ _id }) => _id}
      activeKey={active}
      onActivate={({ _id }) => setActive(_id)}
      onOpen={({ traceId }) =>
        void navigate({
          to: "/p/$projectId/traces/$traceId",
          params: { projectId, traceId },
          search: { tab: "verdicts" },
        })
      }
      onReachEnd={onReachEnd}
      card={(vote) => (
        <>
          <div className="flex items-center gap-3">
            <Thumb vote={vote} />
            <span className="truncate text-soft">{author(vote)}</span>
            <span className="ml-auto text-faint">
              <Time iso={vote.createdAt} isAge />
            </span>
          </div>
          <div className="truncate">
            <VotedTrace vote={vote} note={vote.comment} />
          </div>
        </>
      )}
    />
  );
}

/** The name of the trace, then the note or else its id; only the id if no name is known. */
function VotedTrace({ vote: { traceId, traceName }, note }: { vote: ListedVote; note?: string | undefined }) {
  const { projectId } = useApi();
  return (
    <>
      <Link
        to="/p/$projectId/traces/$traceId"
        params={{ projectId, traceId }}
        search={{ tab: "verdicts" }}
        className="text-ink hover:text-accent"
      >
        {traceName ?? traceId}
      </Link>
      {note !== undefined ? (
        <span className="ml-2 text-soft">{note}</span>
      ) : (
        traceName !== null && <span className="ml-2 text-xs text-faint">{traceId}</span>
      )}
    </>
  );
}

function Thumb({ vote: { rating } }: { vote: ListedVote }) {
  const Icon = rating === "up" ? ThumbUpIcon : ThumbDownIcon;
  return (
    <span className="inline-flex items-baseline gap-1.5">
      <Icon className="size-4 self-center" />
      {rating === "up" ? "good" : "bad"}
    </span>
  );
}
