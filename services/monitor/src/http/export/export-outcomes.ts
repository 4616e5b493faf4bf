import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/outcomes`: how things ended (completions 13). */
export function exportOutcomes(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "outcomes");
}
