import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/evaluation-settings`: every grading config of the project, as it is now (completions 13). */
export function exportEvaluationSettings(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "evaluation-settings");
}
