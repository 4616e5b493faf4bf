import { exportCountQuery, internalRoutes, routes } from "@touchstone/contracts";
import type { ExportedRow } from "@touchstone/db";
import { answerLines, type Handler, readSince, requireProject, type ServedRoute } from "@touchstone/service-kit";
import { type ExportedEntity, type ExportStore, exportedTables } from "./exported-tables.ts";

/** Exports as JSON lines, one route per entity (completions 13). */
export function exportRoutes(dependencies: { exports: ExportStore }): ServedRoute[] {
  return [
    { route: routes.exportSignals, handle: exportEntity(dependencies, "signals") },
    { route: routes.exportSignalFeedback, handle: exportEntity(dependencies, "signal-feedback") },
    { route: routes.exportFeedback, handle: exportEntity(dependencies, "feedback") },
    { route: routes.exportOutcomes, handle: exportEntity(dependencies, "outcomes") },
    { route: routes.exportEvents, handle: exportEntity(dependencies, "events") },
    { route: routes.exportSessionScores, handle: exportEntity(dependencies, "session-scores") },
    { route: routes.exportPatterns, handle: exportEntity(dependencies, "patterns") },
    { route: routes.exportCustomEvaluators, handle: exportEntity(dependencies, "custom-evaluators") },
    { route: routes.exportMonitorProfiles, handle: exportEntity(dependencies, "monitor-profiles") },
    { route: internalRoutes.countMonitorExport, handle: countExported(dependencies) },
  ];
}

/** `GET /export/{entity}` for the tables of this service (completions 13). */
function exportEntity({ exports }: { exports: ExportStore }, entity: ExportedEntity): Handler {
  return async (call) => {
    const query = { projectId: requireProject(call), sinceMs: readSince(call.query) };
    return answerLines<ExportedRow>(entity, {
      projectId: query.projectId,
      readPage: (last) => exports.readPage(entity, query, last),
      render: (row) => row.texts,
    });
  };
}

/** The number of rows to export per table, for the gateway's index. */
function countExported({ exports }: { exports: ExportStore }): Handler {
  return async (call) => {
    const query = exportCountQuery.parse(await call.json());
    const names = Object.keys(exportedTables) as ExportedEntity[];
    const entities = await Promise.all(
      names.map(async (entity) => ({ entity, rows: await exports.count(entity, query) })),
    );
    return { status: 200, body: { entities } };
  };
}
