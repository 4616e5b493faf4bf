import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useWhyKey } from "../blocks/why-key.ts";
import { useApi } from "../shell/session.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Section, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { Loaded } from "../ui/states.tsx";
import { pairsQuery } from "./label-queries.ts";
import type { Cell } from "./trust.ts";

interface Pair {
  traceId: string;
  rating: number;
  threshold: number;
  justification: string | null;
  scorerVersion: number | null;
  judgedAt: string;
  vote: "up" | "down" | null;
  correctedScore: number | null;
  comment: string | null;
  labelledAt: string;
  input: string | null;
  output: string | null;
}

const headings: Record<Cell, { title: string; aside: string }> = {
  bothFail: { title: "Both: bad", aside: "the judge failed them and people found them bad" },
  onlyScorerFails: { title: "False alarms", aside: "the judge failed them, people found them good" },
  onlyPersonFails: { title: "Missed", aside: "the judge passed them, people found them bad" },
  bothPass: { title: "Both: good", aside: "the judge passed them and people found them good" },
};

/** The traces behind one cell of the table. */
export function PairList({
  scorerKey,
  version,
  cell,
  onWhy,
}: {
  scorerKey: string;
  version: number | null;
  cell: Cell;
  onWhy(traceId: string): void;
}) {
  const pairs = useInfiniteQuery(pairsQuery(useApi(), { scorerKey, version, cell }));
  const [active, setActive] = useState<string>();
  const rows = useMemo(() => (pairs.data?.pages ?? []).flatMap((page): Pair[] => page.pairs), [pairs.data]);
  const chosen = rows.find(({ traceId }) => traceId === active);
  useWhyKey(chosen === undefined ? undefined : () => onWhy(chosen.traceId));
  const columns = useMemo(() => columnsOf(onWhy), [onWhy]);
  const { title, aside } = headings[cell];
  return (
    <Section title={title} aside={aside}>
      <Loaded query={pairs}>
        {() =>
          rows.length === 0 ? (
            <p className="m-0 text-soft">None.</p>
          ) : (
            <div className="-mx-4 md:-mx-6">
              <DataTable
                label={title}
                rows={rows}
                columns={columns}
                rowKey={({ traceId }) => traceId}
                activeKey={active}
                onActivate={({ traceId }) => setActive(traceId)}
                onOpen={({ traceId }) => onWhy(traceId)}
                onReachEnd={() => {
                  if (pairs.hasNextPage && !pairs.isFetchingNextPage) void pairs.fetchNextPage();
                }}
                maxHeight={560}
                cardHeight={92}
                card={(pair) => (
                  <>
                    <div className="flex gap-3">
                      <Score rating={pair.rating} threshold={pair.threshold} onWhy={() => onWhy(pair.traceId)} />
                      <span className="truncate">{pair.input ?? "The trace was deleted."}</span>
                    </div>
                    <div className="truncate text-soft">{pair.justification}</div>
                    <div className="truncate text-soft">
                      People: <Word pair={pair} />
                    </div>
                  </>
                )}
              />
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

function columnsOf(onWhy: (traceId: string) => void): Column<Pair>[] {
  return [
    {
      key: "rating",
      header: "Judge",
      width: "4.5rem",
      cell: (pair) => <Score rating={pair.rating} threshold={pair.threshold} onWhy={() => onWhy(pair.traceId)} />,
    },
    { key: "people", header: "People", width: "minmax(6rem, 1fr)", cell: (pair) => <Word pair={pair} /> },
    {
      key: "input",
      header: "Input",
      width: "minmax(8rem, 2fr)",
      cell: ({ input }) => input ?? <span className="text-faint">the trace is gone</span>,
    },
    {
      key: "output",
      header: "Output",
      width: "minmax(8rem, 2fr)",
      cell: ({ output }) => <span className="text-soft">{output}</span>,
    },
    { key: "why", header: "What the judge said", width: "minmax(10rem, 2fr)", cell: (pair) => pair.justification },
    {
      key: "at",
      header: "Labelled",
      width: "6rem",
      align: "right",
      cell: ({ labelledAt }) => (
        <span className="text-faint">
          <Time iso={labelledAt} isAge />
        </span>
      ),
    },
  ];
}

function Word({ pair: { vote, correctedScore, comment } }: { pair: Pair }) {
  return (
    <>
      {correctedScore === null ? (vote === "down" ? "bad" : "good") : `rather ${correctedScore}`}
      {comment !== null && comment !== "" && <span className="text-soft">: {comment}</span>}
    </>
  );
}
