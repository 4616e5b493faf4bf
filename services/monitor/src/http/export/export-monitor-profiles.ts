import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/monitor-profiles`: the profiles of agents, as they were sent (completions 13). */
export function exportMonitorProfiles(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "monitor-profiles");
}
