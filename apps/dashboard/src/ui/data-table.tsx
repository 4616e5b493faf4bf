import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useEffect, useRef } from "react";
import { classNames } from "./class-names.ts";
import { useIsNarrow } from "./media-query.ts";
import { leaveControl, useShortcuts } from "./shortcuts.tsx";

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell(row: Row): ReactNode;
  /** A track of the grid: `6rem`, `minmax(8rem, 2fr)`. */
  width: string;
  align?: "right";
}

export interface DataTableProps<Row> {
  /** The name of the rows, for screen readers and as the heading of the keys. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey(row: Row): string;
  /** The row that keys act on; `j` and `k` move it. */
  activeKey?: string | undefined;
  onActivate?: (row: Row) => void;
  /** Enter, or a click on a row outside its links and buttons. */
  onOpen?: (row: Row) => void;
  /** A click, if it differs from Enter. */
  onPress?: (row: Row) => void;
  /** Marked as part of a selection. */
  isSelected?: (row: Row) => boolean;
  /** The content of a row in a narrow window. */
  card(row: Row): ReactNode;
  /** Heights in pixels. Rows are virtual and therefore have equal heights. */
  rowHeight?: number;
  cardHeight?: number;
  /** The number of unloaded rows before the first of `rows`; their space stays empty. */
  rowsAbove?: number;
  /** Called when the last rows become visible. */
  onReachEnd?: () => void;
  /** Called when rows before the first become visible, or nearly so. */
  onReachStart?: () => void;
  /** Called when the first visible row changes. */
  onScrolledTo?: (index: number) => void;
  /** Below the last row. */
  footer?: ReactNode;
  /** Sizes the table by its rows, up to this many pixels, instead of filling its parent. */
  maxHeight?: number;
}

/** A table whose rows are drawn as they become visible. In a narrow window rows are cards. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, columns, rowKey, activeKey, onActivate, onOpen, isSelected, card, footer, maxHeight } = props;
  const { onPress = onOpen, rowsAbove = 0 } = props;
  const isNarrow = useIsNarrow();
  const rowHeight = isNarrow ? (props.cardHeight ?? 64) : (props.rowHeight ?? 32);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rowsAbove + rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  useEffect(() => virtual.measure(), [rowHeight]);

  const items = virtual.getVirtualItems();
  const firstIndex = virtual.range?.startIndex ?? 0;
  const lastIndex = items.at(-1)?.index ?? -1;
  const { onReachEnd, onReachStart, onScrolledTo } = props;
  useEffect(() => {
    if (rows.length > 0 && lastIndex >= rowsAbove + rows.length - 10) onReachEnd?.();
  }, [lastIndex, rowsAbove + rows.length, onReachEnd]);
  useEffect(() => {
    if (rowsAbove > 0 && firstIndex < rowsAbove + 10) onReachStart?.();
  }, [firstIndex, rowsAbove, onReachStart]);
  useEffect(() => onScrolledTo?.(firstIndex), [firstIndex, onScrolledTo]);

  const activeIndex = rows.findIndex((row) => rowKey(row) === activeKey);
  function move(step: number): void {
    const wanted = activeIndex === -1 ? firstIndex - rowsAbove : activeIndex + step;
    const index = Math.min(rows.length - 1, Math.max(0, wanted));
    const row = rows[index];
    if (row === undefined) return;
    leaveControl();
    virtual.scrollToIndex(rowsAbove + index);
    onActivate?.(row);
  }
  const active = rows[activeIndex];
  useShortcuts(
    label,
    onActivate === undefined
      ? []
      : [
          { keys: "j", label: "Next row", run: () => move(1) },
          { keys: "k", label: "Row before", run: () => move(-1) },
          ...(onOpen && active !== undefined ? [{ keys: "Enter", label: "Open", run: () => onOpen(active) }] : []),
        ],
  );

  const template = columns.map(({ width }) => width).join(" ");
  return (
    <div
      ref={scroller}
      tabIndex={0}
      role="table"
      aria-label={label}
      aria-rowcount={rowsAbove + rows.length + 1}
      className={classNames(
        "relative overflow-auto outline-offset-[-2px]",
        maxHeight === undefined && "min-h-0 flex-1",
      )}
      style={maxHeight === undefined ? undefined : { maxHeight }}
    >
      <div role="rowgroup" className={isNarrow ? "sr-only" : "sticky top-0 z-10 border-b border-line bg-canvas"}>
        <div
          role="row"
          className="grid h-8 items-center gap-3 px-4 text-xs text-faint md:px-6"
          style={{ gridTemplateColumns: template }}
        >
          <Headers columns={columns as readonly Column<unknown>[]} />
        </div>
      </div>
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index - rowsAbove];
          if (row === undefined) return null;
          return (
            <div
              key={rowKey(row)}
              role="row"
              tabIndex={-1}
              aria-rowindex={index + 2}
              aria-selected={isSelected?.(row) || undefined}
              data-active={index - rowsAbove === activeIndex || undefined}
              onClick={(event) => {
                if ((event.target as HTMLElement).closest("a, button, input, label") !== null) return;
                onActivate?.(row);
                onPress?.(row);
              }}
              onKeyDown={(event) => event.key === "Enter" && event.target === event.currentTarget && onOpen?.(row)}
              className={classNames(
                "absolute inset-x-0 top-0 border-b border-line",
                isNarrow ? "overflow-hidden px-4 py-2" : "grid items-center gap-3 px-4 md:px-6",
                isSelected?.(row) ? "bg-chosen" : "hover:bg-hover data-active:bg-hover",
                "data-active:shadow-[inset_2px_0_0_var(--accent)]",
                onPress !== undefined && "cursor-pointer",
              )}
              style={{
                height: rowHeight,
                transform: `translateY(${start}px)`,
                ...(!isNarrow && { gridTemplateColumns: template }),
              }}
            >
              {isNarrow ? (
                <div role="cell">{card(row)}</div>
              ) : (
                <Cells row={row} columns={columns as readonly Column<unknown>[]} />
              )}
            </div>
          );
        })}
      </div>
      {footer}
    </div>
  );
}

function Headers({ columns }: { columns: readonly Column<unknown>[] }) {
  return columns.map((column) => (
    <div
      key={column.key}
      role="columnheader"
      className={classNames("truncate", column.align === "right" && "text-right")}
    >
      {column.header}
    </div>
  ));
}

/** Redrawn only if the row or the columns change; keep the columns in a constant or a memo. */
const Cells = memo(function Cells({ row, columns }: { row: unknown; columns: readonly Column<unknown>[] }) {
  return columns.map((column) => (
    <div
      key={column.key}
      role="cell"
      className={classNames("min-w-0 truncate", column.align === "right" && "text-right tabular-nums")}
    >
      {column.cell(row)}
    </div>
  ));
});
