import type { AttackNotes } from "./attacker/tally.ts";
import type { Window } from "./observer/observer.ts";

/** The effects of an attack. */
export interface Measurement {
  attack: string;
  seconds: number;
  /** From the end of the attack until the installation was quiet and its memory released, or until that took too long. */
  settledSeconds: number;
  window: Window;
  /** A line for each acknowledged trace that is missing or has another text. */
  lost: readonly string[];
  notes: AttackNotes;
  /** The Node process of the installation had ended afterwards. */
  hasDied: boolean;
  /** The installation had to be restarted: it ended, or did not recover. */
  wasRestarted: boolean;
  /** The resident memory of the installation after ordinary traffic. Null: it had just been started. */
  usualMb: number | null;
  /** Its last output, if it died. */
  log: string;
}

/** The limits on how much an attack may affect other tenants. */
export interface Bars {
  p99Ms: number;
  worstMs: number;
  /** The longest time in which no request at all is answered. */
  stallMs: number;
  /** Requests of the probe that get a 5xx, are refused, or get no answer. */
  unserved: number;
  /** Growth of the Node process's resident memory. */
  addedMb: number;
  /** The resident memory after the attack, as a multiple of the memory before it, or of the usual one if that is more. */
  memoryBack: number;
  /** The least resident memory of the last round, as a multiple of that of the first round after half an hour. */
  memoryKept: number;
}

/** The limits we promise. */
export const bars: Bars = {
  p99Ms: 250,
  worstMs: 1_000,
  stallMs: 200,
  unserved: 0,
  addedMb: 1_024,
  memoryBack: 1.2,
  memoryKept: 1.1,
};

/**
 * For a machine that runs other tests too: its response times say nothing, but nothing may be lost and memory is
 * bounded.
 */
export const sharedMachineBars: Bars = {
  p99Ms: Number.POSITIVE_INFINITY,
  worstMs: Number.POSITIVE_INFINITY,
  stallMs: Number.POSITIVE_INFINITY,
  unserved: Number.POSITIVE_INFINITY,
  addedMb: 1_536,
  memoryBack: Number.POSITIVE_INFINITY,
  memoryKept: Number.POSITIVE_INFINITY,
};

/** Lists the missed limits, one sentence each; empty when the others were served as if there was no attack. */
export function findMissed({ window, lost, notes, hasDied, usualMb }: Measurement, limits: Bars): string[] {
  const { before, peak, after } = window.memoryMb;
  const above = (what: string, value: number, limit: number, unit: string): string[] =>
    value > limit ? [`${what} ${value.toFixed(0)} ${unit}, at most ${limit.toFixed(0)}`] : [];
  const some = (what: string, count: number, most = 0): string[] => (count > most ? [`${count} ${what}`] : []);
  return [
    ...(hasDied ? ["the installation ended"] : []),
    ...above("p99", window.p99Ms, limits.p99Ms, "ms"),
    ...above("worst", window.worstMs, limits.worstMs, "ms"),
    ...above("stall", window.stallMs, limits.stallMs, "ms"),
    ...some("requests of the probe answered 5xx", window.failed, limits.unserved),
    ...some("requests of the probe refused", window.refused, limits.unserved),
    ...some("requests of the probe not answered", window.unanswered, limits.unserved),
    ...above("memory added", peak - before, limits.addedMb, "MB"),
    ...(usualMb === null ? [] : above("memory after", after, Math.max(before, usualMb) * limits.memoryBack, "MB")),
    ...some("acknowledged traces lost", lost.length),
    ...notes.complaints,
  ];
}
