import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/gate-results`: every verdict of a gate that was kept (completions 13). */
export function exportGateResults(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "gate-results");
}
