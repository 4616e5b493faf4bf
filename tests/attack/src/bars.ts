import type { AttackNotes } from "./attacker/tally.ts";
import type { Window } from "./observer/observer.ts";

/** What an attack did. */
export interface Measurement {
  attack: string;
  seconds: number;
  window: Window;
  /** Ids of traces that were acknowledged and are not there. */
  lost: readonly string[];
  notes: AttackNotes;
  /** The Node process of the installation was gone after it. */
  hasDied: boolean;
  /** It had to be started again: it ended, or did not come to rest. */
  wasRestarted: boolean;
  /** It had just been started: its memory has yet to grow to what it usually is. */
  isWarmUp: boolean;
  /** What it printed last, if it died. */
  log: string;
}

/** What an attack may do to the others at most. */
export interface Bars {
  p99Ms: number;
  worstMs: number;
  /** For this long nothing at all may go unanswered. */
  stallMs: number;
  /** Requests of the probe that are answered 5xx, are refused, or not answered. */
  unserved: number;
  /** Resident memory of the Node process above what it was before. */
  addedMb: number;
  /** The same after the attack, as a multiple of what it was before. */
  memoryBack: number;
}

/** What is promised. */
export const bars: Bars = { p99Ms: 250, worstMs: 1_000, stallMs: 200, unserved: 0, addedMb: 1_024, memoryBack: 1.2 };

/** For a machine that runs other tests beside: how fast it answers says nothing, but nothing may be lost and memory is bounded. */
export const sharedMachineBars: Bars = {
  p99Ms: Number.POSITIVE_INFINITY,
  worstMs: Number.POSITIVE_INFINITY,
  stallMs: Number.POSITIVE_INFINITY,
  unserved: Number.POSITIVE_INFINITY,
  addedMb: 1_536,
  memoryBack: Number.POSITIVE_INFINITY,
};

/** Says which bars were missed, one sentence each; empty when the others were served as if there was no attack. */
export function findMissed({ window, lost, notes, hasDied, isWarmUp }: Measurement, limits: Bars): string[] {
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
    ...(isWarmUp ? [] : above("memory after", after, before * limits.memoryBack, "MB")),
    ...some("acknowledged traces lost", lost.length),
    ...notes.complaints,
  ];
}
