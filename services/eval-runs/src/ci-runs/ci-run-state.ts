import type { StoredCiRun } from "./ci-run-store.ts";

/**
 * Where a CI run stands (completions 8.4): `open` takes results; `finalizing` and `decided` take none; `expired` was not
 * finalized within its time, and whether that has been stored yet makes no difference.
 */
export type CiRunState = "open" | "finalizing" | "decided" | "expired";

export function stateOf({
  closingAs,
  isExpired,
  verdict,
}: Pick<StoredCiRun, "closingAs" | "isExpired" | "verdict">): CiRunState {
  if (closingAs === "failed" || (closingAs === null && isExpired)) return "expired";
  if (closingAs === null) return "open";
  return verdict === null ? "finalizing" : "decided";
}
