import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/feedback`: how people voted on traces (completions 13). */
export function exportFeedback(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "feedback");
}
