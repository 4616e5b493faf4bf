import { exportCountQuery } from "@touchstone/contracts";
import type { ExportedRow, ExportStore } from "@touchstone/db";
import { answerLines, type Handler, readSince, requireProject } from "@touchstone/service-kit";

/**
 * `GET /export/{entity}` for a table of a service (completions 13). `prepare`: called first, to complete what the rows
 * await; absent = nothing.
 */
export function exportTable<Entity extends string>(
  exports: ExportStore<Entity>,
  entity: Entity,
  prepare?: (projectId: string, requestId: string) => Promise<void>,
): Handler {
  return async (call) => {
    const query = { projectId: requireProject(call), sinceMs: readSince(call.query) };
    await prepare?.(query.projectId, call.identity.requestId);
    return answerLines<ExportedRow>(entity, {
      projectId: query.projectId,
      readPage: (last) => exports.readPage(entity, query, last),
      render: (row) => row.texts,
    });
  };
}

/** The number of rows to export of each table, for the gateway's index. */
export function countExportedRows<Entity extends string>(
  exports: ExportStore<Entity>,
  entities: readonly Entity[],
): Handler {
  return async (call) => {
    const query = exportCountQuery.parse(await call.json());
    const counted = entities.map(async (entity) => ({ entity, rows: await exports.count(entity, query) }));
    return { status: 200, body: { entities: await Promise.all(counted) } };
  };
}
