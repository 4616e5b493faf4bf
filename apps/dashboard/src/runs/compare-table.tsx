import { type ReactNode, useMemo } from "react";
import { classNames } from "../ui/class-names.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Delta } from "../ui/delta.tsx";
import { Badge } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { EmptyState } from "../ui/states.tsx";
import type { ComparedCase, CompareOrder, CompareRow } from "./compare-rows.ts";

type SideName = "baseline" | "candidate";

/** The cases of a comparison. A row opens both answers beside the table, a rating its explanation. */
export function CompareTable({
  rows,
  sort,
  onSort,
  openKey,
  onOpen,
}: {
  rows: readonly CompareRow[];
  sort: CompareOrder;
  onSort(order: CompareOrder): void;
  openKey: string | undefined;
  onOpen(key: string, why?: SideName): void;
}) {
  const isBrief = openKey !== undefined;
  const most = Math.max(1, ...rows.map(({ delta }) => Math.abs(delta ?? 0)));
  const columns = useMemo(
    () => compareColumns({ most, isBrief, sort, onSort, onWhy: onOpen }),
    // The handlers read the current URL, so they are no dependencies.
    [most, isBrief, sort],
  );
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

function compareColumns({
  most,
  isBrief,
  sort,
  onSort,
  onWhy,
}: {
  most: number;
  isBrief: boolean;
  sort: CompareOrder;
  onSort(order: CompareOrder): void;
  onWhy(key: string, why: SideName): void;
}): Column<CompareRow>[] {
  const sortable = (label: string, first: CompareOrder, second: CompareOrder = first): ReactNode => {
    const isOn = sort === first || sort === second;
    return (
      <button
        type="button"
        onClick={() => onSort(sort === first ? second : first)}
        className={classNames("hover:text-ink", isOn && "font-medium text-ink")}
      >
        {label}
        {isOn && <span aria-hidden> {sort === "-delta" ? "↓" : "↑"}</span>}
      </button>
    );
  };
  const sideColumn = (name: SideName, label: string): Column<CompareRow> => ({
    key: name,
    header: sortable(label, name),
    width: isBrief ? "4.5rem" : "6.5rem",
    cell: (row) => <Side side={row[name]} isBrief={isBrief} scorer={label} onWhy={() => onWhy(row.key, name)} />,
  });
  return [
    {
      key: "case",
      header: sortable("Case", "case"),
      width: "3rem",
      align: "right",
      cell: ({ questionIndex }) => <span className="text-soft">{questionIndex ?? "-"}</span>,
    },
    { key: "question", header: "Question", width: "minmax(8rem, 2fr)", cell: ({ query }) => query ?? "-" },
    sideColumn("baseline", "Baseline"),
    sideColumn("candidate", "Candidate"),
    {
      key: "delta",
      header: sortable("Delta", "delta", "-delta"),
      width: "3.5rem",
      align: "right",
      cell: ({ delta }) => <Delta value={delta} />,
    },
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

function Side({
  side,
  isBrief,
  scorer,
  onWhy,
}: {
  side: ComparedCase["baseline"];
  isBrief?: boolean;
  scorer?: string;
  onWhy?: () => void;
}) {
  return (
    <span className="inline-flex items-center gap-2">
      <Score rating={side.rating} scorer={scorer} onWhy={side.resultId === null ? undefined : onWhy} />
      {side.error !== null && !isBrief && <Badge look="bad">failed</Badge>}
    </span>
  );
}

/** A loss extends to the left, a gain to the right, on one scale for all rows. */
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
