import { isUuid, limits } from "@touchstone/contracts";
import { AppError } from "./app-error.ts";
import type { Call } from "./call.ts";
import { parseDigits, requireLimit } from "./read-query.ts";

/** The requested page of the log: this many acts below the act `before`; null = from the newest. */
export interface AuditPageQuery {
  before: string | null;
  limit: number;
}

/** Reads `limit` and `cursor` of a request for the log. Throws 400. */
export function readAuditPage({ limit, cursor }: Call["query"]): AuditPageQuery {
  const wanted = limit ?? String(limits.auditPageDefault);
  const count = requireLimit(typeof wanted === "string" ? parseDigits(wanted) : Number.NaN, limits.auditPageMax);
  if (cursor !== undefined && (typeof cursor !== "string" || !isUuid(cursor))) {
    throw new AppError("bad_request", "cursor must be the id of an event");
  }
  return { limit: count, before: cursor ?? null };
}
