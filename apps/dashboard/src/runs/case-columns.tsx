import type { ReactNode } from "react";
import { classNames } from "../ui/class-names.ts";
import type { Column } from "../ui/data-table.tsx";
import { Delta } from "../ui/delta.tsx";
import { formatCount, formatRating } from "../ui/format.ts";
import { Badge } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import type { CaseOrder, CaseRow, Run } from "./case-rows.ts";
import { metricOfCase } from "./metric-values.ts";
import { SkippedBadge } from "./skipped-badge.tsx";

interface ColumnOptions {
  sort: CaseOrder;
  order(next: CaseOrder): void;
  /** Filters may exclude some results of a case. */
  isFiltered: boolean;
  isRepeated: boolean;
  hasBaseline: boolean;
  isBrief: boolean;
  /** The chosen metric of the run; undefined if none is. */
  metric: Run["metrics"][number] | undefined;
  onWhy(key: string): void;
}

/** The columns of a run's cases; memoize them by the options. */
export function caseColumns(options: ColumnOptions): Column<CaseRow>[] {
  const { sort, order, isFiltered, isRepeated, hasBaseline, isBrief, metric, onWhy } = options;
  const sortable = (label: string, first: CaseOrder, second: CaseOrder = first): ReactNode => {
    const isOn = sort === first || sort === second;
    return (
      <button
        type="button"
        onClick={() => order(sort === first ? second : first)}
        className={classNames("hover:text-ink", isOn && "font-medium text-ink")}
      >
        {label}
        {isOn && <span aria-hidden> {sort === "-rating" || sort === "spread" ? "↓" : "↑"}</span>}
      </button>
    );
  };
  const columns: (Column<CaseRow> | false)[] = [
    {
      key: "case",
      header: sortable("Case", "case"),
      width: "3.5rem",
      align: "right",
      cell: ({ questionIndex }) => <span className="text-soft">{questionIndex ?? "-"}</span>,
    },
    { key: "question", header: "Question", width: "minmax(10rem, 2fr)", cell: ({ question }) => question ?? "-" },
    isRepeated &&
      !isBrief && {
        key: "runs",
        header: "Runs",
        width: "4rem",
        align: "right",
        cell: (row) => <Runs row={row} isFiltered={isFiltered} />,
      },
    {
      key: "rating",
      header: sortable("Rating", "rating", "-rating"),
      width: "7rem",
      cell: (row) => <CaseRating row={row} onWhy={onWhy} />,
    },
    isRepeated &&
      !isBrief && {
        key: "spread",
        header: sortable("Spread", "spread"),
        width: "5.5rem",
        align: "right",
        cell: (row) => <Spread row={row} />,
      },
    metric !== undefined && {
      key: "metric",
      header: metric.name,
      width: "7rem",
      align: "right",
      cell: ({ results }) => metricOfCase(results, metric)?.toFixed(2) ?? <span className="text-faint">-</span>,
    },
    hasBaseline && {
      key: "delta",
      header: sortable("vs last", "delta"),
      width: "4.5rem",
      align: "right",
      cell: ({ ofCase }) => <Delta value={ofCase.delta} />,
    },
    !isBrief && {
      key: "why",
      header: "Why",
      width: "minmax(10rem, 3fr)",
      cell: ({ why }) => <span className="text-soft">{why ?? "-"}</span>,
    },
  ];
  return columns.filter((column) => column !== false);
}

/** A case in a narrow window. */
export function CaseCard({ row, onWhy }: { row: CaseRow; onWhy(key: string): void }) {
  return (
    <>
      <div className="flex items-start gap-3">
        <span className="line-clamp-2 min-w-0 flex-1">
          <span className="text-faint">{row.questionIndex ?? "-"}</span> {row.question ?? "-"}
        </span>
        <span className="flex shrink-0 flex-col items-end">
          <CaseRating row={row} onWhy={onWhy} />
          {row.ofCase.delta !== null && <Delta value={row.ofCase.delta} />}
        </span>
      </div>
      <div className="mt-1 truncate text-xs text-soft">{row.why}</div>
    </>
  );
}

/** The number of repetitions, and how many of them match the filters. */
function Runs({ row: { results, ofCase }, isFiltered }: { row: CaseRow; isFiltered: boolean }) {
  const matching = results.filter(({ isSmokeTestVariant }) => !isSmokeTestVariant).length;
  if (!isFiltered || matching === ofCase.results) return formatCount(ofCase.results);
  return (
    <span title={`${matching} of ${ofCase.results} match the filters`}>
      {formatCount(matching)} of {formatCount(ofCase.results)}
    </span>
  );
}

function CaseRating({ row, onWhy }: { row: CaseRow; onWhy(key: string): void }) {
  const { ofCase, status, questionIndex, worst } = row;
  return (
    <span className="inline-flex items-center gap-2">
      {status === "skipped" && ofCase.rating === null ? (
        <SkippedBadge code={worst.skipCode} onWhy={() => onWhy(row.key)} />
      ) : (
        <Score rating={ofCase.rating} scorer={`case ${questionIndex ?? "-"}`} onWhy={() => onWhy(row.key)} />
      )}
      {status === "failed" && <Badge look="bad">failed</Badge>}
    </span>
  );
}

function Spread({ row: { ofCase } }: { row: CaseRow }) {
  const { minRating, maxRating } = ofCase;
  if (ofCase.results < 2 || minRating === null || maxRating === null) return <span className="text-faint">-</span>;
  if (minRating === maxRating) return <span className="text-faint">none</span>;
  return (
    <>
      {formatRating(minRating)} to {formatRating(maxRating)}
    </>
  );
}
