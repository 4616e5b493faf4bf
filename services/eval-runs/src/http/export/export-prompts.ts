import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/prompts`: every prompt of the project, without its texts (completions 13). */
export function exportPrompts(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "prompts");
}
