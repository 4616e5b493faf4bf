import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/online-evaluators`: the live profiles of judges (completions 13). */
export function exportOnlineEvaluators(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "online-evaluators");
}
