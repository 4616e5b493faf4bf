import { AppError } from "./app-error.ts";
import { parseIsoTime } from "./iso-time.ts";

/**
 * The `since` of an export in epoch milliseconds, possibly fractional; null when it is absent. Before 1970 counts as
 * 1970. Throws 400 if it is not an ISO 8601 date (completions 13).
 */
export function readSince(query: Readonly<Record<string, unknown>>): number | null {
  const [since] = [query.since].flat();
  if (since === undefined) return null;
  const atMs = typeof since === "string" ? parseIsoTime(since) : null;
  if (atMs === null) throw new AppError("bad_request", "since must be an ISO-8601 date");
  return Math.max(atMs, 0);
}
