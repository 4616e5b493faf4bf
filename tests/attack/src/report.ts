import { type Bars, findMissed, type Measurement } from "./bars.ts";

const columns: readonly [heading: string, read: (measurement: Measurement) => string][] = [
  ["attack", ({ attack }) => attack],
  ["s", ({ seconds }) => seconds.toFixed(0)],
  ["requests", ({ window }) => String(window.requests)],
  ["p50 ms", ({ window }) => window.p50Ms.toFixed(0)],
  ["p99 ms", ({ window }) => window.p99Ms.toFixed(0)],
  ["worst ms", ({ window }) => window.worstMs.toFixed(0)],
  ["stall ms", ({ window }) => window.stallMs.toFixed(0)],
  ["5xx", ({ window }) => String(window.failed)],
  ["refused", ({ window }) => String(window.refused + window.unanswered)],
  ["MB before", ({ window }) => window.memoryMb.before.toFixed(0)],
  ["peak", ({ window }) => window.memoryMb.peak.toFixed(0)],
  ["after", ({ window }) => window.memoryMb.after.toFixed(0)],
  ["lost", ({ lost }) => String(lost.length)],
];

/** Delays of the probe's own timer up to this are not reported. */
const busyMachineMs = 50;

/** A table in Markdown with one row for each attack; its last column says whether all limits were met. */
export function renderTable(measurements: readonly Measurement[], limits: Bars): string {
  const rows = measurements.map((measurement) => [
    ...columns.map(([, read]) => read(measurement)),
    findMissed(measurement, limits).length === 0 ? "met" : "MISSED",
  ]);
  const headings = [...columns.map(([heading]) => heading), "bars"];
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => (row[at] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`;
  const rule = `|${widths.map((width, at) => (at === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(headings), rule, ...rows.map(line)].join("\n");
}

/** The effects of one attack, in a few lines. */
export function describeMeasurement(measurement: Measurement, limits: Bars): string {
  const { attack, seconds, settledSeconds, window, lost, notes, log } = measurement;
  const { before, peak, after } = window.memoryMb;
  const missed = findMissed(measurement, limits);
  const answers = Object.entries(notes.answers).map(([status, count]) => `${status} x ${count}`);
  return [
    `${attack}: ${missed.length === 0 ? "bars met" : "bars MISSED"}`,
    `  probe: p50 ${window.p50Ms.toFixed(0)}, p99 ${window.p99Ms.toFixed(0)}, worst ${window.worstMs.toFixed(0)}, longest stall ${window.stallMs.toFixed(0)} ms; ${window.requests} requests, ${window.failed} answered 5xx, ${window.refused} refused, ${window.unanswered} not answered, ${lost.length} traces lost`,
    ...lost.map((loss) => `  lost: ${loss}`),
    `  memory: ${before.toFixed(0)} MB before, ${peak.toFixed(0)} at the most, ${after.toFixed(0)} after ${settledSeconds.toFixed(0)} s`,
    `  the attacker was answered in ${seconds.toFixed(0)} s: ${answers.join(", ") || "nothing"}`,
    ...(window.ownDelayMs > busyMachineMs
      ? [`  the machine was busy: the probe itself was late by up to ${window.ownDelayMs.toFixed(0)} ms`]
      : []),
    ...missed.map((sentence) => `  MISSED: ${sentence}`),
    ...window.notGood.map((told) => `  probe: ${told}`),
    ...(log === "" ? [] : [log]),
  ].join("\n");
}

/** All attacks as one: the worst of each figure. */
export function sumUp(measurements: readonly Measurement[]): Measurement {
  const windows = measurements.map(({ window }) => window);
  const most = (read: (window: Measurement["window"]) => number): number => Math.max(0, ...windows.map(read));
  const sum = (read: (window: Measurement["window"]) => number): number =>
    windows.reduce((total, window) => total + read(window), 0);
  return {
    attack: "all, the worst of each",
    seconds: measurements.reduce((total, { seconds }) => total + seconds, 0),
    settledSeconds: Math.max(0, ...measurements.map(({ settledSeconds }) => settledSeconds)),
    window: {
      requests: sum(({ requests }) => requests),
      p50Ms: most(({ p50Ms }) => p50Ms),
      p99Ms: most(({ p99Ms }) => p99Ms),
      worstMs: most(({ worstMs }) => worstMs),
      stallMs: most(({ stallMs }) => stallMs),
      ownDelayMs: most(({ ownDelayMs }) => ownDelayMs),
      failed: sum(({ failed }) => failed),
      refused: sum(({ refused }) => refused),
      unanswered: sum(({ unanswered }) => unanswered),
      notGood: [],
      memoryMb: {
        // From the first attack on; earlier traffic is a warm-up.
        before: (measurements.find(({ usualMb }) => usualMb !== null) ?? measurements[0])?.window.memoryMb.before ?? 0,
        peak: most(({ memoryMb }) => memoryMb.peak),
        after: windows.at(-1)?.memoryMb.after ?? 0,
      },
    },
    lost: [...new Set(measurements.flatMap(({ lost }) => lost))],
    notes: { answers: {}, complaints: [...new Set(measurements.flatMap(({ notes }) => notes.complaints))] },
    hasDied: measurements.some(({ hasDied }) => hasDied),
    wasRestarted: measurements.some(({ wasRestarted }) => wasRestarted),
    usualMb: Math.max(0, ...measurements.map(({ usualMb }) => usualMb ?? 0)),
    log: "",
  };
}
