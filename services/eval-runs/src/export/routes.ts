import { internalRoutes, routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import { countExported } from "../http/export/count-exported.ts";
import { exportDatasetVersions } from "../http/export/export-dataset-versions.ts";
import { exportDatasets } from "../http/export/export-datasets.ts";
import { exportEvaluationAnalyses } from "../http/export/export-evaluation-analyses.ts";
import { exportEvaluationSettings } from "../http/export/export-evaluation-settings.ts";
import { exportEvaluationSettingsVersions } from "../http/export/export-evaluation-settings-versions.ts";
import { exportGateResults } from "../http/export/export-gate-results.ts";
import { exportOnlineEvaluators } from "../http/export/export-online-evaluators.ts";
import { exportPromptVersions } from "../http/export/export-prompt-versions.ts";
import { exportPrompts } from "../http/export/export-prompts.ts";
import { exportRunResults } from "../http/export/export-run-results.ts";
import { exportRuns } from "../http/export/export-runs.ts";
import { exportScorerGroups } from "../http/export/export-scorer-groups.ts";
import { exportToolSchemaVersions } from "../http/export/export-tool-schema-versions.ts";
import { exportToolSchemas } from "../http/export/export-tool-schemas.ts";
import type { ExportStore } from "./export-store.ts";

/** What leaves as JSON lines, one route for each entity (completions 13). */
export function exportRoutes(dependencies: { exports: ExportStore }): ServedRoute[] {
  return [
    { route: routes.exportDatasets, handle: exportDatasets(dependencies) },
    { route: routes.exportDatasetVersions, handle: exportDatasetVersions(dependencies) },
    { route: routes.exportRuns, handle: exportRuns(dependencies) },
    { route: routes.exportRunResults, handle: exportRunResults(dependencies) },
    { route: routes.exportGateResults, handle: exportGateResults(dependencies) },
    { route: routes.exportEvaluationSettings, handle: exportEvaluationSettings(dependencies) },
    { route: routes.exportEvaluationSettingsVersions, handle: exportEvaluationSettingsVersions(dependencies) },
    { route: routes.exportEvaluationAnalyses, handle: exportEvaluationAnalyses(dependencies) },
    { route: routes.exportScorerGroups, handle: exportScorerGroups(dependencies) },
    { route: routes.exportOnlineEvaluators, handle: exportOnlineEvaluators(dependencies) },
    { route: routes.exportPrompts, handle: exportPrompts(dependencies) },
    { route: routes.exportPromptVersions, handle: exportPromptVersions(dependencies) },
    { route: routes.exportToolSchemas, handle: exportToolSchemas(dependencies) },
    { route: routes.exportToolSchemaVersions, handle: exportToolSchemaVersions(dependencies) },
    { route: internalRoutes.countEvalRunsExport, handle: countExported(dependencies) },
  ];
}
