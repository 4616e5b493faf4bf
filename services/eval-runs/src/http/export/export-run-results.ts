import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/run-results`: every result of every run (completions 13). */
export function exportRunResults(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "run-results");
}
