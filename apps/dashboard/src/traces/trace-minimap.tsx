import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { useElementWidth } from "../ui/charts/element-width.ts";
import { formatDuration } from "../ui/format.ts";
import { kindVariable } from "./span-kind.tsx";
import type { TimeRange } from "./time-zoom.ts";
import type { TraceTree } from "./trace-tree.ts";

const height = 44;
const laneMost = 12;
/** A shorter drag is a click. */
const dragPixels = 4;

/** The whole trace in one strip, with a lane for each depth. Dragging selects the period of the bars, a click resets it. */
export function TraceMinimap({
  tree,
  zoom,
  onZoom,
}: {
  tree: TraceTree;
  zoom: TimeRange | null;
  onZoom(zoom: TimeRange | null): void;
}) {
  const [box, width] = useElementWidth<HTMLDivElement>(800);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const wholeMs = Math.max(tree.toMs - tree.fromMs, 1e-3);
  const xOf = (ms: number): number => ((ms - tree.fromMs) / wholeMs) * width;
  const msAt = (x: number): number => tree.fromMs + (Math.min(Math.max(x, 0), width) / width) * wholeMs;
  const shown = drag === null ? zoom && { from: xOf(zoom.fromMs), to: xOf(zoom.toMs) } : drag;

  function pointerAt(event: PointerEvent<HTMLDivElement>): number {
    return event.clientX - event.currentTarget.getBoundingClientRect().left;
  }
  function onPointerDown(event: PointerEvent<HTMLDivElement>): void {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ from: pointerAt(event), to: pointerAt(event) });
  }
  function onPointerUp(): void {
    setDrag(null);
    if (drag === null) return;
    const [from, to] = drag.from < drag.to ? [drag.from, drag.to] : [drag.to, drag.from];
    onZoom(to - from < dragPixels ? null : { fromMs: msAt(from), toMs: msAt(to) });
  }
  function onKeyDown(event: KeyboardEvent): void {
    const moved = movedByKey(event, zoom ?? tree, tree);
    if (moved === null) return;
    event.preventDefault();
    onZoom(moved);
  }

  const range = zoom ?? tree;
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label="Time shown; arrows move it, + and - change how much of it"
      aria-valuemin={Math.round(tree.fromMs)}
      aria-valuemax={Math.round(tree.toMs)}
      aria-valuenow={Math.round(range.fromMs)}
      aria-valuetext={`${formatDuration(range.fromMs - tree.fromMs)} to ${formatDuration(range.toMs - tree.fromMs)}`}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => drag !== null && setDrag({ ...drag, to: pointerAt(event) })}
      onPointerUp={onPointerUp}
      onPointerCancel={() => setDrag(null)}
      onKeyDown={onKeyDown}
      className="relative min-w-0 flex-1 cursor-crosshair touch-pan-y max-md:flex-none overflow-hidden rounded-sm border border-line bg-panel select-none"
      style={{ height: height + 2 }}
    >
      <Strip tree={tree} width={width} />
      {shown && <Chosen from={Math.min(shown.from, shown.to)} to={Math.max(shown.from, shown.to)} width={width} />}
    </div>
  );
}

/** Dims the area outside the zoom and marks its ends. */
function Chosen({ from, to, width }: { from: number; to: number; width: number }) {
  const veil = "absolute inset-y-0 bg-canvas/70";
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0">
      <div className={veil} style={{ left: 0, width: Math.max(0, from) }} />
      <div className={veil} style={{ left: to, width: Math.max(0, width - to) }} />
      <div
        className="absolute inset-y-0 border-x-2 border-accent"
        style={{ left: from, width: Math.max(3, to - from) }}
      />
    </div>
  );
}

function movedByKey({ key }: KeyboardEvent, { fromMs, toMs }: TimeRange, whole: TimeRange): TimeRange | null {
  const length = toMs - fromMs;
  const wholeMs = whole.toMs - whole.fromMs;
  const place = (from: number, size: number): TimeRange => {
    const start = Math.min(Math.max(from, whole.fromMs), whole.toMs - size);
    return { fromMs: start, toMs: start + size };
  };
  const grown = Math.min(wholeMs, length * 2);
  switch (key) {
    case "ArrowRight":
      return place(fromMs + length / 4, length);
    case "ArrowLeft":
      return place(fromMs - length / 4, length);
    case "+":
      return place(fromMs + length / 4, length / 2);
    case "-":
      return place(fromMs - (grown - length) / 2, grown);
    default:
      return null;
  }
}

/** Painted once, for any number of spans. */
function Strip({ tree, width }: { tree: TraceTree; width: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const paintNow = (): void => paint(canvas.current, tree, width);
    // After the tree, which has priority.
    const timer = setTimeout(paintNow, 50);
    const themes = new MutationObserver(paintNow);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      clearTimeout(timer);
      themes.disconnect();
    };
  }, [tree, width]);
  return <canvas ref={canvas} aria-hidden className="block h-full w-full" />;
}

function paint(canvas: HTMLCanvasElement | null, tree: TraceTree, width: number): void {
  const context = canvas?.getContext("2d");
  if (!canvas || !context) return;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const colours = new Map<string, string>();
  const colourOf = (name: string): string => {
    const colour = colours.get(name) ?? style.getPropertyValue(name).trim();
    colours.set(name, colour);
    return colour;
  };
  const deepest = tree.nodes.reduce((most, { depth }) => Math.max(most, depth), 0);
  const lane = Math.min(laneMost, (height - 6) / (deepest + 1));
  const scale = width / Math.max(tree.toMs - tree.fromMs, 1e-3);
  // Failed spans are painted last, over their neighbours.
  for (const failed of [false, true]) {
    for (const { span, depth } of tree.nodes) {
      if (span.hasError !== failed) continue;
      context.fillStyle = colourOf(kindVariable(span.spanKind, failed));
      const least = failed ? 2 : 1;
      const x = Math.min((span.offsetMs - tree.fromMs) * scale, width - least);
      context.fillRect(
        x,
        3 + depth * lane,
        Math.max(least, (span.latencyMs ?? 0) * scale),
        Math.max(1, lane - (lane > 3 ? 1 : 0)),
      );
    }
  }
}
