import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { ApiProblem } from "../api/problem.ts";
import type { components } from "../api/schema.gen.d.ts";
import { useWhyKey } from "../blocks/why-key.ts";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { useIsNarrow } from "../ui/media-query.ts";
import { Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { isArriving, rereadAfter } from "./arriving.ts";
import { SpanPanel, type SpanTab } from "./span-panel.tsx";
import { printZoom, readZoom, type TimeRange, zoomOnto } from "./time-zoom.ts";
import { TraceActions, type TraceDialog } from "./trace-actions.tsx";
import { TraceFigures, TraceHeading, TraceRatings } from "./trace-header.tsx";
import { TraceMinimap } from "./trace-minimap.tsx";
import { TraceNeighbours } from "./trace-neighbours.tsx";
import { outlineQuery, type TraceDetail, traceQuery } from "./trace-queries.ts";
import { buildTree, indexOfSpan, type TraceTree, type TreeNode } from "./trace-tree.ts";
import { TraceVotes } from "./trace-votes.tsx";
import { TraceWaterfall } from "./trace-waterfall.tsx";
import {
  ancestorsOf,
  isFolded,
  nextError,
  printFolds,
  readFolds,
  visibleRows,
  withFold,
  withRevealed,
} from "./tree-rows.ts";

const TraceDialogs = lazyPart(async () => (await import("./trace-dialogs.tsx")).TraceDialogs);

const route = getRouteApi("/p/$projectId/traces/$traceId");
const smallTrace = 3;

/** A loaded trace. The selection, the folds and the zoom are in the URL. */
export function TraceView({
  trace,
  outline,
  problem,
}: {
  trace: TraceDetail;
  outline: components["schemas"]["TraceOutline"];
  problem: unknown;
}) {
  const isNarrow = useIsNarrow();
  const tree = useMemo(() => buildTree(outline.spans), [outline]);
  const view = useTraceView(tree, trace._id);
  useRereading(trace, tree);
  useTraceKeys(tree, view);
  const [dialog, setDialog] = useState<TraceDialog | null>(null);
  const [scorer, setScorer] = useState<string>();
  function openWhy(name: string): void {
    setScorer(name);
    view.chooseTab("verdicts");
  }
  const isSmall = tree.nodes.length <= smallTrace;
  // The spans are painted first, then the surrounding parts.
  const isPainted = useIsPainted(isSmall);
  const node = tree.nodes[view.selected] as TreeNode;
  const waterfall = (
    <TraceWaterfall
      tree={tree}
      folds={view.folds}
      selected={view.selected}
      zoom={view.zoom ?? tree}
      onSelect={view.select}
      onFold={view.fold}
      onFoldTo={view.foldTo}
      className={isNarrow ? "h-[45dvh] max-h-[30rem] border-b border-line" : undefined}
    />
  );
  const panelClass = isNarrow ? "min-h-60" : tree.nodes.length > 1 ? "border-l border-line" : undefined;
  const panel = isPainted ? (
    <SpanPanel
      span={node.span}
      trace={trace}
      tab={view.tab}
      onTab={view.chooseTab}
      scorer={scorer}
      onEvaluate={() => setDialog("evaluate")}
      className={panelClass}
    />
  ) : (
    <div className={panelClass} />
  );
  return (
    <Page
      title={trace.name}
      heading={<TraceHeading trace={trace} />}
      aside={
        <TraceFigures
          trace={trace}
          tree={tree}
          isTruncated={outline.truncated}
          isArriving={isArriving(trace, tree, Date.now())}
        />
      }
      actions={
        // In a narrow window they move the content below them.
        (isPainted || isNarrow) && (
          <>
            <TraceNeighbours trace={trace} />
            <TraceVotes traceId={trace._id} />
            <TraceActions trace={trace} onDialog={setDialog} />
          </>
        )
      }
      isFull
    >
      {problem !== null && <Gone problem={problem} />}
      {!isSmall && (
        <div className="flex shrink-0 gap-x-6 gap-y-2 px-4 pb-2.5 max-md:flex-col-reverse md:px-6">
          <TraceMinimap tree={tree} zoom={view.zoom} onZoom={view.zoomTo} />
          <TraceRatings trace={trace} onWhy={openWhy} />
        </div>
      )}
      <Halves isNarrow={isNarrow} spanCount={tree.nodes.length} waterfall={waterfall} panel={panel} />
      {dialog !== null && (
        <TraceDialogs trace={trace} spanCount={tree.nodes.length} open={dialog} onClose={() => setDialog(null)} />
      )}
    </Page>
  );
}

/** False until the browser has painted the first drawing; true from the beginning if nothing is deferred. */
function useIsPainted(isAtOnce: boolean): boolean {
  const [isPainted, setPainted] = useState(isAtOnce);
  useEffect(() => {
    if (isPainted) return;
    let timer: ReturnType<typeof setTimeout>;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setPainted(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [isPainted]);
  return isPainted;
}

/** The tree and the selected span. With few spans the conversation matters more and comes first; a single span needs no tree. */
function Halves({
  isNarrow,
  spanCount,
  waterfall,
  panel,
}: {
  isNarrow: boolean;
  spanCount: number;
  waterfall: ReactNode;
  panel: ReactNode;
}) {
  const isSmall = spanCount <= smallTrace;
  if (spanCount === 1) return <div className="flex min-h-0 flex-1 flex-col border-t border-line md:px-2">{panel}</div>;
  if (isNarrow) {
    return (
      <div className="flex min-w-0 flex-col border-t border-line">
        {isSmall && panel}
        {waterfall}
        {!isSmall && panel}
      </div>
    );
  }
  const columns = isSmall ? "grid-cols-[minmax(22rem,2fr)_minmax(0,3fr)]" : "grid-cols-[minmax(0,3fr)_minmax(0,2fr)]";
  return (
    <div className={classNames("grid min-h-0 flex-1 border-t border-line", columns)}>
      {waterfall}
      {panel}
    </div>
  );
}

/** The loaded trace stays visible after its deletion on the server. */
function Gone({ problem }: { problem: unknown }) {
  if (!(problem instanceof ApiProblem) || problem.status !== 404)
    return <ProblemLine problem={problem} className="mx-4 mb-2 md:mx-6" />;
  return (
    <p role="alert" className="m-0 mx-4 mb-2 rounded-sm bg-warn-ground px-2.5 py-1.5 text-warn md:mx-6">
      This trace was deleted, or it is older than the project keeps traces. What was loaded before is still shown.
    </p>
  );
}

function useTraceView(tree: TraceTree, traceId: string) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/traces/$traceId" });
  const folds = useMemo(() => readFolds(search.fold), [search.fold]);
  const zoom = useMemo(() => readZoom(search.zoom, tree), [search.zoom, tree]);
  const idOf = useCallback((index: number) => tree.nodes[index]?.span._id, [tree]);

  const select = useCallback(
    (index: number, isStep: boolean) => {
      const revealed = printFolds(withRevealed(folds, tree, index));
      void navigate({ search: (before) => ({ ...before, span: idOf(index), fold: revealed }), replace: isStep });
    },
    [navigate, folds, tree, idOf],
  );
  const fold = useCallback(
    (index: number, isOn: boolean) => {
      const folded = printFolds(withFold(folds, tree.nodes[index] as TreeNode, isOn));
      void navigate({ search: (before) => ({ ...before, fold: folded }), replace: true });
    },
    [navigate, folds, tree],
  );
  const selected = useMemo(() => {
    const found = indexOfSpan(tree, search.span ?? traceId);
    return Math.max(0, found === -1 ? indexOfSpan(tree, traceId) : found);
  }, [tree, search.span, traceId]);
  const foldTo = useCallback(
    (depth: number | null) => {
      const folded = printFolds({ fromDepth: depth ?? Number.POSITIVE_INFINITY, turned: new Set() });
      // The selection stays visible: if its span is folded, the nearest visible ancestor is selected.
      const shown = depth === null ? selected : (ancestorsOf(tree, selected)[depth] ?? selected);
      void navigate({ search: (before) => ({ ...before, span: idOf(shown), fold: folded }) });
    },
    [navigate, tree, selected, idOf],
  );
  const zoomTo = useCallback(
    (range: TimeRange | null) =>
      void navigate({ search: (before) => ({ ...before, zoom: range === null ? undefined : printZoom(range) }) }),
    [navigate],
  );
  const chooseTab = useCallback(
    (tab: SpanTab) => void navigate({ search: (before) => ({ ...before, tab }), replace: true }),
    [navigate],
  );
  return { folds, zoom, selected, tab: search.tab ?? ("chat" as const), select, fold, zoomTo, foldTo, chooseTab };
}

/** Refreshes a trace that may still receive spans. */
function useRereading(trace: TraceDetail, tree: TraceTree): void {
  const api = useApi();
  const queries = useQueryClient();
  useEffect(() => {
    const wait = rereadAfter(trace, tree, Date.now());
    if (wait === false) return;
    const timer = setInterval(() => {
      if (document.hidden) return;
      // The last read shows what arrived while the page was hidden.
      if (rereadAfter(trace, tree, Date.now()) === false) clearInterval(timer);
      // A read that takes longer than the wait is not begun again.
      const inTurn = { cancelRefetch: false };
      void queries.invalidateQueries({ queryKey: outlineQuery(api, trace._id).queryKey }, inTurn);
      void queries.invalidateQueries({ queryKey: traceQuery(api, trace._id).queryKey }, inTurn);
    }, wait);
    return () => clearInterval(timer);
  }, [api, queries, trace, tree]);
}

function useTraceKeys(tree: TraceTree, view: ReturnType<typeof useTraceView>): void {
  const { folds, zoom, selected, select, fold, foldTo, zoomTo, chooseTab } = view;
  const node = tree.nodes[selected] as TreeNode;
  const isOpen = node.end > selected + 1 && !isFolded(folds, node);
  function move(step: 1 | -1): void {
    const rows = visibleRows(tree, folds);
    const next = rows[rows.indexOf(selected) + step];
    if (next !== undefined) select(next, true);
  }
  function jump(step: 1 | -1): void {
    const found = nextError(tree, selected, step);
    if (found !== null) select(found, false);
  }
  useShortcuts("Trace", [
    { keys: "j", label: "Next span", run: () => move(1) },
    { keys: "k", label: "Span before", run: () => move(-1) },
    {
      keys: "ArrowRight",
      label: "Unfold, or go to the first child",
      run: () => {
        if (isOpen) select(selected + 1, true);
        else if (node.end > selected + 1) fold(selected, false);
      },
    },
    {
      keys: "ArrowLeft",
      label: "Fold, or go to the parent",
      run: () => {
        if (isOpen) fold(selected, true);
        else if (node.parent !== -1) select(node.parent, true);
      },
    },
    { keys: "0", label: "Unfold all", run: () => foldTo(null) },
    { keys: "1", label: "Fold to depth 1", run: () => foldTo(1) },
    { keys: "2", label: "Fold to depth 2", run: () => foldTo(2) },
    { keys: "3", label: "Fold to depth 3", run: () => foldTo(3) },
    { keys: "n", label: "Next failed span", run: () => jump(1) },
    { keys: "N", label: "Failed span before", run: () => jump(-1) },
    {
      keys: "z",
      label: "Zoom to the span, or back to all",
      run: () => zoomTo(zoom === null ? zoomOnto(node.span.offsetMs, node.span.latencyMs, tree) : null),
    },
  ]);
  useWhyKey(() => chooseTab("verdicts"));
}
