import { useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { formatCount } from "../ui/format.ts";
import { selectColumn, traceColumns } from "./list-columns.tsx";
import type { TraceRow } from "./list-queries.ts";
import { cardHeight, TraceCard } from "./trace-card.tsx";
import type { TracesList } from "./use-traces-list.ts";

const rowKey = ({ _id }: TraceRow): string => _id;
const card = (row: TraceRow) => <TraceCard row={row} />;

interface TracesTableProps {
  list: TracesList;
  shown: ReadonlySet<string>;
  selected: ReadonlySet<string>;
  activeId: string | undefined;
  onActivate(row: TraceRow): void;
  onPress(row: TraceRow): void;
  onOpen(row: TraceRow): void;
  onScrolledTo(index: number): void;
}

/** The rows of the list; more are loaded as the user approaches the end. */
export function TracesTable({ list, shown, selected, activeId, ...acts }: TracesTableProps) {
  const { projectId } = useApi();
  const columns = useMemo(
    () => [selectColumn, ...traceColumns(projectId).filter(({ key }) => shown.has(key))],
    [projectId, shown],
  );
  return (
    <DataTable
      label="Traces"
      rows={list.rows}
      rowsAbove={list.rowsAbove}
      columns={columns}
      rowKey={rowKey}
      activeKey={activeId}
      isSelected={({ _id }) => selected.has(_id)}
      card={card}
      cardHeight={cardHeight}
      onReachEnd={list.readOn}
      onReachStart={list.readBack}
      {...acts}
      footer={
        <p className="m-0 px-4 py-3 text-faint md:px-6">
          {list.isReading
            ? "Reading more"
            : list.isAtEnd && list.totalCount > 1
              ? `All ${formatCount(list.totalCount)} are shown.`
              : ""}
        </p>
      }
    />
  );
}
