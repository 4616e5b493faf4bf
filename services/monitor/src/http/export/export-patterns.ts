import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/patterns`: the project's own patterns (completions 13). */
export function exportPatterns(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "patterns");
}
