import { memo } from "react";
import { classNames } from "../ui/class-names.ts";
import { formatDuration, formatRating } from "../ui/format.ts";
import { ChevronDownIcon, ChevronRightIcon, ErrorIcon } from "../ui/icons.tsx";
import { scoreGround } from "../ui/score.tsx";
import { KindIcon, kindGround } from "./span-kind.tsx";
import { barOf, type TimeRange } from "./time-zoom.ts";
import type { Oddity, TreeNode } from "./trace-tree.ts";

const oddityWords: Record<Oddity, { sign: string; title: string }> = {
  orphan: { sign: "no parent", title: "Its parent is not in this trace; it may still arrive, or it was never sent" },
  cycle: { sign: "circle", title: "Its parents form a circle; it is opened here" },
  early: { sign: "early", title: "Starts before its parent: the clocks of two machines may disagree" },
  outlives: { sign: "outlives", title: "Ends after its parent" },
};

export interface SpanRowProps {
  node: TreeNode;
  index: number;
  top: number;
  height: number;
  indent: number;
  isFolded: boolean;
  isSelected: boolean;
  zoom: TimeRange;
  trackPixels: number;
  onFold(index: number, fold: boolean): void;
}

/** A span: its name in the tree, its bar in time, its duration. */
export const SpanRow = memo(function SpanRow(props: SpanRowProps) {
  const { node, index, top, height, isSelected, isFolded } = props;
  const { span, depth, end } = node;
  return (
    <div
      id={`span-${index}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={end > index + 1 ? !isFolded : undefined}
      data-index={index}
      className={classNames(
        "absolute inset-x-0 top-0 grid cursor-pointer grid-cols-[var(--names)_minmax(0,1fr)_4.5rem] items-center border-b border-line/60",
        isSelected ? "bg-chosen shadow-[inset_2px_0_0_var(--accent)]" : "hover:bg-hover",
      )}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <Name {...props} />
      <Track {...props} />
      <span className="pr-3 text-right text-xs whitespace-nowrap text-soft tabular-nums">
        {formatDuration(span.latencyMs)}
      </span>
    </div>
  );
});

function Name({ node, index, indent, isFolded, onFold }: SpanRowProps) {
  const { span, end, errorsBelow, oddities } = node;
  const below = end - index - 1;
  const Chevron = isFolded ? ChevronRightIcon : ChevronDownIcon;
  return (
    <div className="flex h-full min-w-0 items-center gap-1.5 pr-2" style={{ paddingLeft: indent + 4 }}>
      {below > 0 ? (
        <button
          type="button"
          tabIndex={-1}
          aria-label={isFolded ? "Unfold" : "Fold"}
          onClick={(event) => {
            event.stopPropagation();
            onFold(index, !isFolded);
          }}
          className="flex h-full w-5 shrink-0 items-center justify-center text-faint hover:text-ink"
        >
          <Chevron className="size-3" />
        </button>
      ) : (
        <span className="w-5 shrink-0" />
      )}
      <KindIcon kind={span.spanKind} />
      {span.hasError && (
        <span title="Failed" className="text-bad">
          <ErrorIcon className="size-3.5" />
          <span className="sr-only">failed</span>
        </span>
      )}
      <span className="min-w-0 truncate" title={span.name}>
        {span.name}
      </span>
      {oddities.map((oddity) => (
        <span
          key={oddity}
          title={oddityWords[oddity].title}
          className="shrink-0 rounded-sm border border-warn px-1 text-xs leading-4 text-warn"
        >
          {oddityWords[oddity].sign}
        </span>
      ))}
      {isFolded && below > 0 && (
        <span className="shrink-0 text-xs text-faint tabular-nums">
          +{below}
          {errorsBelow > 0 && <span className="text-bad"> {errorsBelow} failed</span>}
        </span>
      )}
      {span.rating !== undefined && (
        <span
          title={`Rated ${formatRating(span.rating)} of 10`}
          className="ml-auto inline-flex shrink-0 items-center gap-1 text-xs tabular-nums"
        >
          <span aria-hidden className={classNames("h-2.5 w-1 rounded-full", scoreGround(span.rating))} />
          {formatRating(span.rating)}
        </span>
      )}
    </div>
  );
}

function Track({ node: { span }, zoom, trackPixels }: SpanRowProps) {
  const { left, width, isTick, beyond } = barOf(span.offsetMs, span.latencyMs, zoom, trackPixels);
  if (beyond !== null) {
    return (
      <div aria-hidden className={classNames("text-xs text-faint", beyond === "after" && "text-right")}>
        {beyond === "before" ? "‹" : "›"}
      </div>
    );
  }
  return (
    <div aria-hidden className="relative h-full overflow-hidden">
      <div
        className={classNames(
          "absolute top-1/2 h-2.5 -translate-y-1/2",
          isTick ? "" : "rounded-xs",
          kindGround(span.spanKind, span.hasError),
        )}
        style={{ left, width }}
      />
    </div>
  );
}
