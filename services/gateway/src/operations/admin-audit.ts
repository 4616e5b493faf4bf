import { internalRoutes } from "@touchstone/contracts";
import { type Answer, type Call, type InternalClient, readAuditPage } from "@touchstone/service-kit";

/** How long auth may look. */
const readDeadlineMs = 10_000;

export type ReadAdminAudit = (query: Call["query"], requestId: string) => Promise<Answer>;

/** `GET /admin/audit`: the log of the whole installation, the newest act first, in pages (completions 12.5). */
export function createAdminAudit({ auth }: Readonly<Record<"auth", InternalClient>>): ReadAdminAudit {
  return async (query, requestId) => {
    const options = { requestId, deadlineMs: readDeadlineMs };
    const body = await auth.call(internalRoutes.readAudit, readAuditPage(query), options);
    return { status: 200, headers: { "cache-control": "no-store" }, body };
  };
}
