import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/signals`: every signal of the project (completions 13). */
export function exportSignals(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "signals");
}
