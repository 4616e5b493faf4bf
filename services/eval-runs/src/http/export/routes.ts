import { internalRoutes, routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { countExported } from "./count-exported.ts";
import { exportDatasetVersions } from "./export-dataset-versions.ts";
import { exportDatasets } from "./export-datasets.ts";
import { exportEvaluationAnalyses } from "./export-evaluation-analyses.ts";
import { exportEvaluationSettings } from "./export-evaluation-settings.ts";
import { exportEvaluationSettingsVersions } from "./export-evaluation-settings-versions.ts";
import { exportGateResults } from "./export-gate-results.ts";
import { exportOnlineEvaluators } from "./export-online-evaluators.ts";
import { exportPromptVersions } from "./export-prompt-versions.ts";
import { exportPrompts } from "./export-prompts.ts";
import { exportRunResults } from "./export-run-results.ts";
import { exportRuns } from "./export-runs.ts";
import { exportScorerGroups } from "./export-scorer-groups.ts";
import { exportToolSchemaVersions } from "./export-tool-schema-versions.ts";
import { exportToolSchemas } from "./export-tool-schemas.ts";

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
