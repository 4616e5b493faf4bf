import { internalRoutes, routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import { countExportedRows, exportTable } from "@touchstone/store-service";
import { type ExportedEntity, type ExportStore, exportedTables } from "./exported-table-reader.ts";

interface ExportDependencies {
  exports: ExportStore;
  /** Completes results that await the output of a trace. */
  awaited: { ofProject(projectId: string, requestId: string): Promise<void> };
}

/** Exports as JSON lines, one route per entity (completions 13). */
export function exportRoutes({ exports, awaited }: ExportDependencies): ServedRoute[] {
  return [
    { route: routes.exportDatasets, handle: exportTable(exports, "datasets") },
    { route: routes.exportDatasetVersions, handle: exportTable(exports, "dataset-versions") },
    { route: routes.exportRuns, handle: exportTable(exports, "runs") },
    { route: routes.exportRunResults, handle: exportTable(exports, "run-results", awaited.ofProject) },
    { route: routes.exportGateResults, handle: exportTable(exports, "gate-results") },
    { route: routes.exportEvaluationSettings, handle: exportTable(exports, "evaluation-settings") },
    {
      route: routes.exportEvaluationSettingsVersions,
      handle: exportTable(exports, "evaluation-settings-versions"),
    },
    { route: routes.exportEvaluationAnalyses, handle: exportTable(exports, "evaluation-analyses") },
    { route: routes.exportScorerGroups, handle: exportTable(exports, "scorer-groups") },
    { route: routes.exportOnlineEvaluators, handle: exportTable(exports, "online-evaluators") },
    { route: routes.exportPrompts, handle: exportTable(exports, "prompts") },
    { route: routes.exportPromptVersions, handle: exportTable(exports, "prompt-versions") },
    { route: routes.exportToolSchemas, handle: exportTable(exports, "tool-schemas") },
    { route: routes.exportToolSchemaVersions, handle: exportTable(exports, "tool-schema-versions") },
    {
      route: internalRoutes.countEvalRunsExport,
      handle: countExportedRows(exports, Object.keys(exportedTables) as ExportedEntity[]),
    },
  ];
}
