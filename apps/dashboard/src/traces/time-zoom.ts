/** A period within a trace, in milliseconds after the start of the requested span. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

/** Parses `1200..3400` within a trace; null if it is invalid or outside. */
export function readZoom(text: string | undefined, whole: TimeRange): TimeRange | null {
  const [, from, to] = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)$/.exec(text ?? "") ?? [];
  if (from === undefined || to === undefined) return null;
  const fromMs = Math.max(whole.fromMs, Number(from));
  const toMs = Math.min(whole.toMs, Number(to));
  return toMs > fromMs ? { fromMs, toMs } : null;
}

/** The inverse of {@link readZoom}, to a microsecond. */
export function printZoom({ fromMs, toMs }: TimeRange): string {
  const print = (ms: number): string => String(Math.round(ms * 1_000) / 1_000);
  return `${print(fromMs)}..${print(toMs)}`;
}

/** The period of one span with a small margin on both sides, within the trace. */
export function zoomOnto(offsetMs: number, latencyMs: number | null, whole: TimeRange): TimeRange {
  const wholeMs = whole.toMs - whole.fromMs;
  const length = Math.max(latencyMs ?? 0, wholeMs / 2_000);
  const room = length * 0.05;
  return { fromMs: Math.max(whole.fromMs, offsetMs - room), toMs: Math.min(whole.toMs, offsetMs + length + room) };
}

/** The position of a bar in its track, in pixels: `beyond` if it is outside the zoom, a tick if it is too short for a bar. */
export interface Bar {
  left: number;
  width: number;
  isTick: boolean;
  beyond: "before" | "after" | null;
}

const tickPixels = 2;

export function barOf(offsetMs: number, latencyMs: number | null, zoom: TimeRange, trackPixels: number): Bar {
  const scale = trackPixels / Math.max(zoom.toMs - zoom.fromMs, 1e-6);
  const start = (offsetMs - zoom.fromMs) * scale;
  const end = (offsetMs + (latencyMs ?? 0) - zoom.fromMs) * scale;
  if (end < 0) return { left: 0, width: 0, isTick: false, beyond: "before" };
  if (start > trackPixels) return { left: trackPixels, width: 0, isTick: false, beyond: "after" };
  const width = Math.min(end, trackPixels) - Math.max(start, 0);
  const isTick = latencyMs === null || width < tickPixels;
  const left = Math.min(Math.max(start, 0), trackPixels - (isTick ? tickPixels : 0));
  return { left: Math.max(0, left), width: isTick ? tickPixels : width, isTick, beyond: null };
}

/** Axis times at round steps, at most `most` of them. */
export function axisTicks({ fromMs, toMs }: TimeRange, most: number): { atMs: number; label: string }[] {
  const length = toMs - fromMs;
  if (!(length > 0) || most < 1) return [];
  const step = roundStep(length / most);
  const ticks: { atMs: number; label: string }[] = [];
  for (let count = Math.ceil(fromMs / step); count * step <= toMs; count++) {
    ticks.push({ atMs: count * step, label: tickLabel(count * step, toMs, step) });
  }
  return ticks;
}

const minuteMs = 60_000;
const roundMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 240, 720, 1_440];

function roundStep(least: number): number {
  if (least > minuteMs / 2) {
    const minutes = roundMinutes.find((count) => count * minuteMs >= least);
    return minutes === undefined ? Math.ceil(least / (1_440 * minuteMs)) * 1_440 * minuteMs : minutes * minuteMs;
  }
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power >= minuteMs / 2 ? minuteMs : factor * power;
}

function tickLabel(ms: number, endMs: number, step: number): string {
  const round = (value: number, unit: number): string =>
    String(Number((value / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)))));
  if (ms === 0) return "0";
  if (step >= minuteMs) return `${round(ms, minuteMs)} min`;
  if (endMs >= 1_000) return `${round(ms, 1_000)} s`;
  return `${round(ms, 1)} ms`;
}
