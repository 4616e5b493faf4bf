import { exportCountQuery, internalRoutes, routes } from "@touchstone/contracts";
import type { ExportedRow } from "@touchstone/db";
import { answerLines, type Handler, readSince, requireProject, type ServedRoute } from "@touchstone/service-kit";
import { type ExportedEntity, type ExportStore, exportedTables } from "./exported-tables.ts";

interface ExportDependencies {
  exports: ExportStore;
  /** Completes results that await the output of a trace. */
  awaited: { ofProject(projectId: string, requestId: string): Promise<void> };
}

/** Exports as JSON lines, one route per entity (completions 13). */
export function exportRoutes(dependencies: ExportDependencies): ServedRoute[] {
  return [
    { route: routes.exportDatasets, handle: exportEntity(dependencies, "datasets") },
    { route: routes.exportDatasetVersions, handle: exportEntity(dependencies, "dataset-versions") },
    { route: routes.exportRuns, handle: exportEntity(dependencies, "runs") },
    { route: routes.exportRunResults, handle: exportEntity(dependencies, "run-results") },
    { route: routes.exportGateResults, handle: exportEntity(dependencies, "gate-results") },
    { route: routes.exportEvaluationSettings, handle: exportEntity(dependencies, "evaluation-settings") },
    {
      route: routes.exportEvaluationSettingsVersions,
      handle: exportEntity(dependencies, "evaluation-settings-versions"),
    },
    { route: routes.exportEvaluationAnalyses, handle: exportEntity(dependencies, "evaluation-analyses") },
    { route: routes.exportScorerGroups, handle: exportEntity(dependencies, "scorer-groups") },
    { route: routes.exportOnlineEvaluators, handle: exportEntity(dependencies, "online-evaluators") },
    { route: routes.exportPrompts, handle: exportEntity(dependencies, "prompts") },
    { route: routes.exportPromptVersions, handle: exportEntity(dependencies, "prompt-versions") },
    { route: routes.exportToolSchemas, handle: exportEntity(dependencies, "tool-schemas") },
    { route: routes.exportToolSchemaVersions, handle: exportEntity(dependencies, "tool-schema-versions") },
    { route: internalRoutes.countEvalRunsExport, handle: countExported(dependencies) },
  ];
}

/** `GET /export/{entity}` for the tables of this service (completions 13). */
function exportEntity({ exports, awaited }: ExportDependencies, entity: ExportedEntity): Handler {
  return async (call) => {
    const query = { projectId: requireProject(call), sinceMs: readSince(call.query) };
    if (entity === "run-results") await awaited.ofProject(query.projectId, call.identity.requestId);
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
