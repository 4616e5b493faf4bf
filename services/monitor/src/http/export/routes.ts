import { internalRoutes, routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { countExported } from "./count-exported.ts";
import { exportCustomEvaluators } from "./export-custom-evaluators.ts";
import { exportEvents } from "./export-events.ts";
import { exportFeedback } from "./export-feedback.ts";
import { exportMonitorProfiles } from "./export-monitor-profiles.ts";
import { exportOutcomes } from "./export-outcomes.ts";
import { exportPatterns } from "./export-patterns.ts";
import { exportSessionScores } from "./export-session-scores.ts";
import { exportSignalFeedback } from "./export-signal-feedback.ts";
import { exportSignals } from "./export-signals.ts";

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
