import { isUuid, limits } from "@touchstone/contracts";
import { AppError } from "./app-error.ts";
import type { Call } from "./call.ts";

/** The requested page of the log: this many acts below the act `before`; null = from the newest. */
export interface AuditPageQuery {
  before: string | null;
  limit: number;
}

/** Reads `limit` and `cursor` of a request for the log. Throws 400. */
export function readAuditPage({ limit, cursor }: Call["query"]): AuditPageQuery {
  const wanted = limit ?? String(limits.auditPageDefault);
  if (typeof wanted !== "string" || !/^\d{1,9}$/.test(wanted) || !isPageSize(Number(wanted))) {
    throw new AppError("bad_request", `limit must be a number between 1 and ${limits.auditPageMax}`);
  }
  if (cursor !== undefined && (typeof cursor !== "string" || !isUuid(cursor))) {
    throw new AppError("bad_request", "cursor must be the id of an event");
  }
  return { limit: Number(wanted), before: cursor ?? null };
}

function isPageSize(count: number): boolean {
  return count >= 1 && count <= limits.auditPageMax;
}
