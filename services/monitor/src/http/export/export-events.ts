import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/events`: every finding in a trace (completions 13). */
export function exportEvents(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "events");
}
