import { limits } from "@touchstone/contracts";
import { AppError, answerLines, type Handler, readSince } from "@touchstone/service-kit";
import type { AuditReader, ExportedAct } from "../../audit/audit-reader.ts";

/** `GET /export/audit-events`: the administrative acts on the project itself, by id (completions 13). */
export function exportAuditEvents({ audit }: { audit: AuditReader }): Handler {
  return async (call) => {
    const { projectId } = call.identity;
    if (projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
    const sinceMs = readSince(call.query);
    return answerLines<ExportedAct>("audit-events", {
      readPage: (last) =>
        audit.listOfProject(projectId, { after: last?.id ?? null, sinceMs, limit: limits.exportPageRows }),
      render: (act) => JSON.stringify(act),
    });
  };
}
