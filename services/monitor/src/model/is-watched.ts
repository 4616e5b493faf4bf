import type { SettledTrace } from "@touchstone/contracts";

/**
 * Whether live checks look at a trace at all (completions 2.2): not where the submitter said `monitor:false`, and at
 * what an offline evaluation produced only where they said `monitor:true`.
 */
export function isWatched({ monitor, trafficSource }: Pick<SettledTrace, "monitor" | "trafficSource">): boolean {
  return trafficSource === "eval-run" ? monitor === true : monitor !== false;
}
