import { createHash } from "node:crypto";
import type { SettledTrace } from "@touchstone/contracts";

/**
 * Whether live checks look at a trace at all (completions 2.2): not where the submitter said `monitor:false`, and at
 * what an offline evaluation produced only where they said `monitor:true`.
 */
export function isWatched({ monitor, trafficSource }: Pick<SettledTrace, "monitor" | "trafficSource">): boolean {
  return trafficSource === "eval-run" ? monitor === true : monitor !== false;
}

/**
 * Whether a trace is in the sample of a scorer or pattern. A coin made of both ids: replicas, replays and retries agree
 * (completions 9.5, sampling). 1 and more = always, 0 and less = never.
 */
export function isSampled(rate: number, scorerId: string, traceId: string): boolean {
  if (rate >= 1) return true;
  if (rate <= 0) return false;
  const hash = createHash("sha256").update(`${scorerId}\n${traceId}`).digest();
  return hash.readUInt32BE(0) / 2 ** 32 < rate;
}
