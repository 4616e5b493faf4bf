import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/scorer-groups`: every scorer group of the project (completions 13). */
export function exportScorerGroups(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "scorer-groups");
}
