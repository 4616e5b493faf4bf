import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { SelectField } from "../ui/field.tsx";
import { countOf, formatCount, formatRating } from "../ui/format.ts";
import { Badge } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState } from "../ui/states.tsx";
import type { CaseOrder, CaseRow, Run } from "./case-rows.ts";
import { Delta } from "./delta.tsx";
import type { RunCases } from "./run-cases.ts";

const route = getRouteApi("/p/$projectId/runs/$runId");

/** Every case of a run with its rating; a row opens the case beside the table. */
export function CaseTable({
  run,
  cases,
  openKey,
  onOpen,
}: {
  run: Run;
  cases: RunCases;
  openKey: string | undefined;
  onOpen(key: string): void;
}) {
  const { sort = "rating" } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  const isRepeated = cases.all.some(({ results }) => results.length > 1);
  const hasBaseline = cases.all.some(({ delta }) => delta !== null);
  // Beside an open case there is room for the least.
  const isBrief = openKey !== undefined;
  const order = (next: CaseOrder): void => void navigate({ search: (before) => ({ ...before, sort: next }) });
  const columns = useMemo(
    () => caseColumns({ sort, order, isRepeated, hasBaseline, isBrief, onOpen }),
    [sort, isRepeated, hasBaseline, isBrief],
  );
  useShortcuts("Cases", [
    {
      keys: "w",
      label: "Why the case is rated so",
      run: () => openKey === undefined && cases.shown[0] && onOpen(cases.shown[0].key),
    },
  ]);
  if (run.resultCount === 0) {
    return (
      <EmptyState title="No results yet">
        {run.status === "in_progress"
          ? "They appear here as they are sent."
          : "The run ended before any result was sent."}
      </EmptyState>
    );
  }
  return (
    <>
      <CaseFilterBar cases={cases} />
      {cases.shown.length === 0 ? (
        <EmptyState
          title="No case matches"
          actions={
            <Button onClick={() => void navigate({ search: ({ scorer, sort: by }) => ({ scorer, sort: by }) })}>
              Show all cases
            </Button>
          }
        />
      ) : (
        <DataTable
          label="Cases"
          rows={cases.shown}
          columns={columns}
          rowKey={({ key }) => key}
          activeKey={openKey}
          onActivate={({ key }) => onOpen(key)}
          card={(row) => <CaseCard row={row} />}
          rowHeight={36}
          cardHeight={84}
        />
      )}
    </>
  );
}

function CaseFilterBar({ cases }: { cases: RunCases }) {
  const { status, above, max } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  const isFiltered = status !== undefined || above !== undefined || max !== undefined;
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-3 px-4 py-2 md:px-6">
      <div className="w-36">
        <SelectField
          label="Status"
          isLabelHidden
          value={status ?? ""}
          onChange={({ target }) =>
            void navigate({
              search: (before) => ({ ...before, status: statuses.find((known) => known === target.value) }),
            })
          }
        >
          <option value="">Any status</option>
          <option value="scored">Scored</option>
          <option value="skipped">Skipped</option>
          <option value="failed">Failed</option>
        </SelectField>
      </div>
      <div className="w-32">
        <SelectField
          label="Rated at most"
          isLabelHidden
          value={above === undefined && max !== undefined ? String(max) : ""}
          onChange={({ target }) =>
            void navigate({
              search: (before) => ({
                ...before,
                above: undefined,
                max: target.value === "" ? undefined : Number(target.value),
              }),
            })
          }
        >
          <option value="">Any rating</option>
          {[9, 8, 7, 6, 5, 4, 3, 2, 1].map((most) => (
            <option key={most} value={most}>
              Up to {most}
            </option>
          ))}
        </SelectField>
      </div>
      <span className="text-soft tabular-nums">
        {isFiltered
          ? `${formatCount(cases.shown.length)} of ${countOf(cases.all.length, "case")}`
          : countOf(cases.all.length, "case")}
        {above !== undefined && max !== undefined && `, rated above ${above}, up to ${max}`}
      </span>
      {isFiltered && (
        <Button
          look="ghost"
          onClick={() =>
            void navigate({ search: (before) => ({ ...before, status: undefined, above: undefined, max: undefined }) })
          }
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}

const statuses = ["scored", "skipped", "failed"] as const;

const whyColumn: Column<CaseRow> = {
  key: "why",
  header: "Why",
  width: "minmax(10rem, 3fr)",
  cell: ({ why }) => <span className="text-soft">{why ?? "-"}</span>,
};

interface ColumnOptions {
  sort: CaseOrder;
  order(next: CaseOrder): void;
  isRepeated: boolean;
  hasBaseline: boolean;
  isBrief: boolean;
  onOpen(key: string): void;
}

function caseColumns({ sort, order, isRepeated, hasBaseline, isBrief, onOpen }: ColumnOptions): Column<CaseRow>[] {
  const sortable = (label: string, first: CaseOrder, second: CaseOrder = first): ReactNode => {
    const isOn = sort === first || sort === second;
    return (
      <button
        type="button"
        onClick={() => order(sort === first ? second : first)}
        className={classNames("hover:text-ink", isOn && "font-medium text-ink")}
      >
        {label}
        {isOn && <span aria-hidden> {sort === "-rating" ? "↓" : "↑"}</span>}
      </button>
    );
  };
  return [
    {
      key: "case",
      header: sortable("Case", "case"),
      width: "3.5rem",
      align: "right",
      cell: ({ questionIndex }) => <span className="text-soft">{questionIndex ?? "-"}</span>,
    },
    { key: "question", header: "Question", width: "minmax(10rem, 2fr)", cell: ({ question }) => question ?? "-" },
    ...(isRepeated && !isBrief
      ? [
          {
            key: "runs",
            header: "Runs",
            width: "3rem",
            align: "right" as const,
            cell: ({ results }: CaseRow) => formatCount(results.length),
          },
        ]
      : []),
    {
      key: "rating",
      header: sortable("Rating", "rating", "-rating"),
      width: "7rem",
      cell: (row) => <CaseRating row={row} onWhy={() => onOpen(row.key)} />,
    },
    ...(isRepeated && !isBrief
      ? [
          {
            key: "spread",
            header: sortable("Spread", "spread"),
            width: "5rem",
            align: "right" as const,
            cell: (row: CaseRow) => <Spread row={row} />,
          },
        ]
      : []),
    ...(hasBaseline
      ? [
          {
            key: "delta",
            header: sortable("vs last", "delta"),
            width: "4.5rem",
            align: "right" as const,
            cell: ({ delta }: CaseRow) => <Delta value={delta} />,
          },
        ]
      : []),
    ...(isBrief ? [] : [whyColumn]),
  ];
}

function CaseRating({ row, onWhy }: { row: CaseRow; onWhy?: () => void }) {
  return (
    <span className="inline-flex items-center gap-2">
      {row.status === "skipped" && row.rating === null ? (
        <Badge look="warn">skipped</Badge>
      ) : (
        <Score rating={row.rating} scorer={`case ${row.questionIndex ?? "-"}`} onWhy={onWhy} />
      )}
      {row.status === "failed" && <Badge look="bad">failed</Badge>}
    </span>
  );
}

function Spread({ row: { spread } }: { row: CaseRow }) {
  if (spread === null) return <span className="text-faint">-</span>;
  const { least, greatest } = spread;
  if (least === greatest) return <span className="text-faint">none</span>;
  return (
    <>
      {formatRating(least)} to {formatRating(greatest)}
    </>
  );
}

function CaseCard({ row }: { row: CaseRow }) {
  return (
    <>
      <div className="flex items-start gap-3">
        <span className="line-clamp-2 min-w-0 flex-1">
          <span className="text-faint">{row.questionIndex ?? "-"}</span> {row.question ?? "-"}
        </span>
        <span className="flex shrink-0 flex-col items-end">
          <CaseRating row={row} />
          {row.delta !== null && <Delta value={row.delta} />}
        </span>
      </div>
      <div className="mt-1 truncate text-xs text-soft">{row.why}</div>
    </>
  );
}
