import { internalRoutes, routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import { countExported } from "../http/export/count-exported.ts";
import { exportCustomEvaluators } from "../http/export/export-custom-evaluators.ts";
import { exportEvents } from "../http/export/export-events.ts";
import { exportFeedback } from "../http/export/export-feedback.ts";
import { exportMonitorProfiles } from "../http/export/export-monitor-profiles.ts";
import { exportOutcomes } from "../http/export/export-outcomes.ts";
import { exportPatterns } from "../http/export/export-patterns.ts";
import { exportSessionScores } from "../http/export/export-session-scores.ts";
import { exportSignalFeedback } from "../http/export/export-signal-feedback.ts";
import { exportSignals } from "../http/export/export-signals.ts";
import type { ExportStore } from "./export-store.ts";

/** What leaves as JSON lines, one route for each entity (completions 13). */
export function exportRoutes(dependencies: { exports: ExportStore }): ServedRoute[] {
  return [
    { route: routes.exportSignals, handle: exportSignals(dependencies) },
    { route: routes.exportSignalFeedback, handle: exportSignalFeedback(dependencies) },
    { route: routes.exportFeedback, handle: exportFeedback(dependencies) },
    { route: routes.exportOutcomes, handle: exportOutcomes(dependencies) },
    { route: routes.exportEvents, handle: exportEvents(dependencies) },
    { route: routes.exportSessionScores, handle: exportSessionScores(dependencies) },
    { route: routes.exportPatterns, handle: exportPatterns(dependencies) },
    { route: routes.exportCustomEvaluators, handle: exportCustomEvaluators(dependencies) },
    { route: routes.exportMonitorProfiles, handle: exportMonitorProfiles(dependencies) },
    { route: internalRoutes.countMonitorExport, handle: countExported(dependencies) },
  ];
}
