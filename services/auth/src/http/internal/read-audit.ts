import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { AuditReader } from "../../audit/audit-reader.ts";
import { showPage } from "../../audit/show-page.ts";

/** The gateway's question for the operator: what was administered, in whichever organization or in none? */
export function readAudit({ audit }: { audit: AuditReader }): Handler {
  return async (call) => {
    const { before, limit } = internalRoutes.readAudit.body.parse(await call.json());
    return { status: 200, body: showPage(await audit.listOfAll({ before, limit: limit + 1 }), limit) };
  };
}
