import { useMemo } from "react";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Badge } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { EmptyState } from "../ui/states.tsx";
import type { ComparedCase, CompareRow } from "./compare-rows.ts";
import { Delta } from "./delta.tsx";

/** The cases of a comparison, the greatest loss first; a row opens both answers beside the table. */
export function CompareTable({
  rows,
  openKey,
  onOpen,
}: {
  rows: readonly CompareRow[];
  openKey: string | undefined;
  onOpen(key: string): void;
}) {
  const isBrief = openKey !== undefined;
  const most = Math.max(1, ...rows.map(({ delta }) => Math.abs(delta ?? 0)));
  const columns = useMemo(() => compareColumns(most, isBrief), [most, isBrief]);
  if (rows.length === 0) return <EmptyState title="No such case" />;
  return (
    <DataTable
      label="Cases"
      rows={rows}
      columns={columns}
      rowKey={({ key }) => key}
      activeKey={openKey}
      onActivate={({ key }) => onOpen(key)}
      card={(row) => (
        <>
          <div className="line-clamp-1">
            <span className="text-faint">{row.questionIndex ?? "-"}</span> {row.query ?? "-"}
          </div>
          <div className="mt-1.5 flex items-center gap-3">
            <Side side={row.baseline} />
            <span className="text-faint">→</span>
            <Side side={row.candidate} />
            <span className="ml-auto">
              <Delta value={row.delta} />
            </span>
          </div>
        </>
      )}
      rowHeight={36}
      cardHeight={72}
    />
  );
}

function compareColumns(most: number, isBrief: boolean): Column<CompareRow>[] {
  return [
    {
      key: "case",
      header: "Case",
      width: "3rem",
      align: "right",
      cell: ({ questionIndex }) => <span className="text-soft">{questionIndex ?? "-"}</span>,
    },
    { key: "question", header: "Question", width: "minmax(8rem, 2fr)", cell: ({ query }) => query ?? "-" },
    {
      key: "baseline",
      header: "Baseline",
      width: isBrief ? "4rem" : "6.5rem",
      cell: ({ baseline }) => <Side side={baseline} isBrief={isBrief} />,
    },
    {
      key: "candidate",
      header: "Candidate",
      width: isBrief ? "4rem" : "6.5rem",
      cell: ({ candidate }) => <Side side={candidate} isBrief={isBrief} />,
    },
    { key: "delta", header: "Delta", width: "3.5rem", align: "right", cell: ({ delta }) => <Delta value={delta} /> },
    {
      key: "bar",
      header: <span className="sr-only">Delta drawn</span>,
      width: isBrief ? "5rem" : "9rem",
      cell: ({ delta }) => <DeltaBar delta={delta} most={most} />,
    },
    ...(isBrief
      ? []
      : [
          {
            key: "why",
            header: "Why the candidate is rated so",
            width: "minmax(10rem, 3fr)",
            cell: ({ candidate }: CompareRow) => <span className="text-soft">{candidate.justification ?? "-"}</span>,
          },
        ]),
  ];
}

function Side({ side, isBrief }: { side: ComparedCase["baseline"]; isBrief?: boolean }) {
  return (
    <span className="inline-flex items-center gap-2">
      <Score rating={side.rating} />
      {side.error !== null && !isBrief && <Badge look="bad">failed</Badge>}
    </span>
  );
}

/** To the left a loss, to the right a gain, on one scale for all rows. */
function DeltaBar({ delta, most }: { delta: number | null; most: number }) {
  const share = Math.min(1, Math.abs(delta ?? 0) / most) * 50;
  return (
    <span aria-hidden className="relative block h-3">
      <span className="absolute inset-y-0 left-1/2 w-px bg-control" />
      {delta !== null && delta !== 0 && (
        <span
          className={
            delta < 0 ? "absolute inset-y-0.5 right-1/2 bg-score-2" : "absolute inset-y-0.5 left-1/2 bg-score-10"
          }
          style={{ width: `${share}%` }}
        />
      )}
    </span>
  );
}
