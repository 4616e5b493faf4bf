import type { ExportedRow } from "@touchstone/db";
import { answerLines, type Handler, readSince, requireProject } from "@touchstone/service-kit";
import type { ExportedEntity, ExportStore } from "../../export/export-store.ts";

/** `GET /export/{entity}` of what this service keeps (completions 13). */
export function exportEntity({ exports }: { exports: ExportStore }, entity: ExportedEntity): Handler {
  return async (call) => {
    const query = { projectId: requireProject(call), sinceMs: readSince(call.query) };
    return answerLines<ExportedRow>(entity, {
      readPage: (last) => exports.readPage(entity, query, last),
      render: (row) => row.text,
    });
  };
}
