import { createHash } from "node:crypto";
import type { SettledTrace } from "@touchstone/contracts";

/**
 * True if live checks apply to a trace (completions 2.2): not with `monitor:false`, and for traces from offline evaluations
 * only with `monitor:true`.
 */
export function isWatched({ monitor, trafficSource }: Pick<SettledTrace, "monitor" | "trafficSource">): boolean {
  return trafficSource === "eval-run" ? monitor === true : monitor !== false;
}

/**
 * True if a trace is in the sample of a scorer or pattern. Derived from both ids: replicas, replays and retries agree
 * (completions 9.5, sampling). 1 and more = always, 0 and less = never.
 */
export function isSampled(rate: number, scorerId: string, traceId: string): boolean {
  if (rate >= 1) return true;
  if (rate <= 0) return false;
  const hash = createHash("sha256").update(`${scorerId}\n${traceId}`).digest();
  return hash.readUInt32BE(0) / 2 ** 32 < rate;
}
