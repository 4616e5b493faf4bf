import { createRandom } from "../random.ts";
import type { PlannedTrace, PlannedVisit } from "./planned-trace.ts";

const hourMs = 3_600_000;
const days = 14;
/** The share of traffic that is placed in the last hours, so that they show some at any time of day. */
const recentShare = 0.025;
const recentHours = 4;

export interface TimedTrace {
  trace: PlannedTrace;
  startMs: number;
}

/**
 * Spreads the conversations over the last 14 days, in order: more by day than by night, fewer on weekends (UTC). Every trace
 * ended before now.
 */
export function schedule(visits: readonly PlannedVisit[], nowMs: number): TimedTrace[] {
  const random = createRandom("times");
  const recent = Math.ceil(visits.length * recentShare);
  const starts = [
    ...drawTimes(visits.length - recent, days * 24, nowMs, random.next),
    ...drawTimes(recent, recentHours, nowMs, random.next),
  ].sort((left, right) => left - right);
  return visits.flatMap((visit, index) => {
    const timed: TimedTrace[] = [];
    let startMs = starts[index] ?? nowMs;
    for (const [turn, trace] of visit.traces.entries()) {
      timed.push({ trace, startMs });
      startMs += trace.latencyMs + (visit.pausesMs[turn] ?? 0);
    }
    const last = timed.at(-1);
    const tooLateMs = last === undefined ? 0 : last.startMs + last.trace.latencyMs + 5_000 - nowMs;
    return tooLateMs <= 0 ? timed : timed.map((each) => ({ ...each, startMs: each.startMs - tooLateMs }));
  });
}

function drawTimes(count: number, hours: number, nowMs: number, next: () => number): number[] {
  const weights = Array.from({ length: hours }, (_, hour) => weightAt(nowMs - (hours - hour) * hourMs));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Array.from({ length: count }, () => {
    let left = next() * total;
    const hour = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return Math.round(nowMs - (hours - Math.max(0, hour) - next()) * hourMs);
  });
}

/** The relative amount of traffic at a time. */
function weightAt(ms: number): number {
  const at = new Date(ms);
  const hour = at.getUTCHours();
  const ofDay = hour >= 8 && hour < 18 ? 1 : hour >= 6 && hour < 22 ? 0.5 : 0.1;
  const weekday = at.getUTCDay();
  return ofDay * (weekday === 0 || weekday === 6 ? 0.35 : 1);
}
