import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/custom-evaluators`: the project's custom scorers (completions 13). */
export function exportCustomEvaluators(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "custom-evaluators");
}
