import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/evaluation-analyses`: the analysis of every run that has one (completions 13). */
export function exportEvaluationAnalyses(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "evaluation-analyses");
}
