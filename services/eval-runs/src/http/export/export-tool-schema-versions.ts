import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/tool-schema-versions`: every version of every tool schema (completions 13). */
export function exportToolSchemaVersions(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "tool-schema-versions");
}
