import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/runs`: every run of the project (completions 13). */
export function exportRuns(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "runs");
}
