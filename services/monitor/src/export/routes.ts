import { internalRoutes, routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import { countExportedRows, exportTable } from "@touchstone/store-service";
import { type ExportedEntity, type ExportStore, exportedTables } from "./exported-table-reader.ts";

/** Exports as JSON lines, one route per entity (completions 13). */
export function exportRoutes({ exports }: { exports: ExportStore }): ServedRoute[] {
  return [
    { route: routes.exportSignals, handle: exportTable(exports, "signals") },
    { route: routes.exportSignalFeedback, handle: exportTable(exports, "signal-feedback") },
    { route: routes.exportFeedback, handle: exportTable(exports, "feedback") },
    { route: routes.exportOutcomes, handle: exportTable(exports, "outcomes") },
    { route: routes.exportEvents, handle: exportTable(exports, "events") },
    { route: routes.exportSessionScores, handle: exportTable(exports, "session-scores") },
    { route: routes.exportPatterns, handle: exportTable(exports, "patterns") },
    { route: routes.exportCustomEvaluators, handle: exportTable(exports, "custom-evaluators") },
    { route: routes.exportMonitorProfiles, handle: exportTable(exports, "monitor-profiles") },
    {
      route: internalRoutes.countMonitorExport,
      handle: countExportedRows(exports, Object.keys(exportedTables) as ExportedEntity[]),
    },
  ];
}
