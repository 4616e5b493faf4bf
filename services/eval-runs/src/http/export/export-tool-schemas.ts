import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/tool-schemas`: every tool schema of the project, as it is now (completions 13). */
export function exportToolSchemas(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "tool-schemas");
}
