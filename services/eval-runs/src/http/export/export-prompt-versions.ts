import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/prompt-versions`: the text of every version of every prompt (completions 13). */
export function exportPromptVersions(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "prompt-versions");
}
