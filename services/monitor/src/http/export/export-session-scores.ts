import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/session-scores`: what live judges and groups said of sessions, every round (completions 13). */
export function exportSessionScores(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "session-scores");
}
