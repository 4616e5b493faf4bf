import { type Measurement, median } from "./closed-loop.ts";

/** The bar of a figure. */
export interface Bar {
  /** In the unit of the printed figure. */
  limit: number;
  is: "at most" | "at least";
}

export const atMost = (limit: number): Bar => ({ limit, is: "at most" });
export const atLeast = (limit: number): Bar => ({ limit, is: "at least" });

export interface Figure {
  what: string;
  value: number;
  unit: string;
  bar?: Bar;
  /** Its yardstick, and other details for the reader. */
  beside?: string;
}

export function printHeading(heading: string): void {
  console.log(`\n${heading}`);
}

export function printFigure({ what, value, unit, bar, beside = "" }: Figure): void {
  const shown = `${formatNumber(value)}${unit === "" ? "" : ` ${unit}`}`;
  console.log(
    `  ${what.padEnd(46)} ${shown.padStart(12)}   ${describeBar(value, unit, bar).padEnd(26)} ${beside}`.trimEnd(),
  );
}

function describeBar(value: number, unit: string, bar: Bar | undefined): string {
  if (bar === undefined) return "";
  const isMet = bar.is === "at most" ? value <= bar.limit : value >= bar.limit;
  const sign = bar.is === "at most" ? "<=" : ">=";
  return `bar ${sign} ${formatNumber(bar.limit)}${unit === "" ? "" : ` ${unit}`}: ${isMet ? "met" : "MISSED"}`;
}

function formatNumber(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** Medians of rounds, as text. */
export function describeRounds(rounds: readonly Measurement[]): string {
  const of = (read: (round: Measurement) => number): number => median(rounds.map(read));
  const perSecond = of((round) => round.perSecond).toFixed(0);
  return `${perSecond}/s, p50 ${of((round) => round.p50Ms).toFixed(2)}, p99 ${of((round) => round.p99Ms).toFixed(1)} ms`;
}
