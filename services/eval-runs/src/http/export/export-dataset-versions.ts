import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/dataset-versions`: every version that a run may have pinned (completions 13). */
export function exportDatasetVersions(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "dataset-versions");
}
