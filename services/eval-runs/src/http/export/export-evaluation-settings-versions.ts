import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/evaluation-settings-versions`: every version of every grading config (completions 13). */
export function exportEvaluationSettingsVersions(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "evaluation-settings-versions");
}
