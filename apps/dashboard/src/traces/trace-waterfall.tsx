import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
} from "react";
import { useElementWidth } from "../ui/charts/element-width.ts";
import { classNames } from "../ui/class-names.ts";
import { useIsNarrow } from "../ui/media-query.ts";
import { FoldMenu } from "./fold-menu.tsx";
import { SpanRow } from "./span-row.tsx";
import { axisTicks, type TimeRange } from "./time-zoom.ts";
import type { TraceTree, TreeNode } from "./trace-tree.ts";
import { ancestorsOf, type Folds, indentOf, isFolded, visibleRows } from "./tree-rows.ts";

export interface WaterfallProps {
  tree: TraceTree;
  folds: Folds;
  selected: number;
  zoom: TimeRange;
  /** `isStep` for a move by one key press; such moves add no history entries. */
  onSelect(index: number, isStep: boolean): void;
  onFold(index: number, fold: boolean): void;
  /** Null unfolds everything. */
  onFoldTo(depth: number | null): void;
  className?: string | undefined;
}

const rowHeight = 28;
const touchRowHeight = 44;
/** The minimum width of a name in its column, at any depth. */
const namePixels = 160;
const signPixels = 52;
const durationPixels = 72;
/** The minimum width of an axis label; narrower ones are left out. */
const labelPixels = 36;
/** The gap between the track and the durations. */
const marginPixels = 12;

/**
 * The tree of spans with their bars in time. Rows are drawn as they become visible; the ancestors of the first one are named
 * above.
 */
export function TraceWaterfall({ tree, folds, selected, zoom, onSelect, onFold, onFoldTo, className }: WaterfallProps) {
  const height = useIsNarrow() ? touchRowHeight : rowHeight;
  const [box, width] = useElementWidth<HTMLDivElement>(700);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => visibleRows(tree, folds), [tree, folds]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 6,
  });
  const measured = useRef(height);
  useEffect(() => {
    if (measured.current === height) return;
    measured.current = height;
    virtual.measure();
  }, [height]);
  const selectedRow = rows.indexOf(selected);
  useEffect(() => {
    if (selectedRow === -1 || isInSight(virtual, selectedRow * height, height)) return;
    const { startIndex: first = 0, endIndex: last = 0 } = virtual.range ?? {};
    // A single step scrolls by a row; a farther target is centred.
    const isNear = selectedRow >= first - 2 && selectedRow <= last + 2;
    virtual.scrollToIndex(selectedRow, { align: isNear ? "auto" : "center" });
  }, [selectedRow, virtual]);

  const names = Math.round(Math.max(Math.min(namePixels + signPixels, width * 0.6), Math.min(width * 0.48, 420)));
  const trackPixels = Math.max(40, width - names - durationPixels - marginPixels);
  const { startIndex = 0, endIndex = 0 } = virtual.range ?? {};
  const shallowest = shallowestOf(tree, rows, startIndex, endIndex);
  const select = useCallback((index: number) => onSelect(index, false), [onSelect]);

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -rows.length, End: rows.length }[
      event.key
    ];
    if (step === undefined) return;
    event.preventDefault();
    const row = rows[Math.min(rows.length - 1, Math.max(0, selectedRow + step))];
    if (row !== undefined) onSelect(row, true);
  }

  function onClick(event: MouseEvent): void {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    if (row !== null) onSelect(Number(row.dataset.index), false);
  }

  return (
    <div
      ref={box}
      className={classNames("flex min-h-0 min-w-0 flex-col", className)}
      style={{ "--names": `${names}px` } as CSSProperties}
    >
      <div className="grid h-7 shrink-0 grid-cols-[var(--names)_minmax(0,1fr)_4.5rem] items-center border-b border-line text-xs text-faint">
        <Ancestors tree={tree} index={rows[startIndex] ?? 0} onSelect={select} />
        <Axis zoom={zoom} originMs={tree.fromMs} trackPixels={trackPixels} />
        <FoldMenu tree={tree} fromDepth={folds.fromDepth} onFoldTo={onFoldTo} />
      </div>
      <div
        ref={scroller}
        role="tree"
        tabIndex={0}
        aria-label="Spans"
        aria-activedescendant={selectedRow === -1 ? undefined : `span-${selected}`}
        onKeyDown={onKeyDown}
        onClick={onClick}
        className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-offset-[-2px]"
      >
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index: row, start }) => {
            const index = rows[row] as number;
            const node = tree.nodes[index] as TreeNode;
            return (
              <SpanRow
                key={node.span._id}
                node={node}
                index={index}
                top={start}
                height={height}
                indent={indentOf(node.depth, shallowest, names - namePixels - signPixels)}
                isFolded={isFolded(folds, node)}
                isSelected={index === selected}
                zoom={zoom}
                trackPixels={trackPixels}
                onFold={onFold}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Whether a row is fully visible. The virtualizer would force a layout to determine this. */
function isInSight({ scrollOffset, scrollRect }: Virtualizer<HTMLDivElement, Element>, top: number, height: number) {
  if (scrollOffset === null || scrollRect === null) return false;
  return top >= scrollOffset && top + height <= scrollOffset + scrollRect.height;
}

function shallowestOf(tree: TraceTree, rows: readonly number[], first: number, last: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let row = first; row <= last; row++) least = Math.min(least, tree.nodes[rows[row] ?? -1]?.depth ?? least);
  return Number.isFinite(least) ? least : 0;
}

/** The ancestors of the first visible row; each opens its span. */
function Ancestors({ tree, index, onSelect }: { tree: TraceTree; index: number; onSelect(index: number): void }) {
  const above = ancestorsOf(tree, index);
  const shown = above.length <= 3 ? above : [above[0] as number, null, ...above.slice(-2)];
  if (shown.length === 0) return <span className="px-3">Span</span>;
  return (
    <nav aria-label="Above the first row" className="flex min-w-0 items-center gap-1 overflow-hidden px-3">
      {shown.map((at, place) =>
        at === null ? (
          <span key="cut" title={`${above.length - 3} more`}>
            … ›
          </span>
        ) : (
          <span key={at} className="flex min-w-0 items-center gap-1">
            <button type="button" onClick={() => onSelect(at)} className="min-w-0 truncate hover:text-ink">
              {tree.nodes[at]?.span.name}
            </button>
            {place < shown.length - 1 && "›"}
          </span>
        ),
      )}
    </nav>
  );
}

function Axis({ zoom, originMs, trackPixels }: { zoom: TimeRange; originMs: number; trackPixels: number }) {
  const ticks = axisTicks({ fromMs: zoom.fromMs - originMs, toMs: zoom.toMs - originMs }, trackPixels / 80);
  const scale = trackPixels / (zoom.toMs - zoom.fromMs);
  return (
    <div aria-hidden className="relative h-full overflow-hidden">
      {ticks.map(({ atMs, label }) => (
        <span
          key={atMs}
          className="absolute inset-y-0 flex items-center border-l border-line pl-1 whitespace-nowrap tabular-nums"
          style={{ left: (atMs - (zoom.fromMs - originMs)) * scale }}
        >
          {(atMs - (zoom.fromMs - originMs)) * scale < trackPixels - labelPixels && label}
        </span>
      ))}
    </div>
  );
}
