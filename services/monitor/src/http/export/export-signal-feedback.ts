import type { Handler } from "@touchstone/service-kit";
import type { ExportStore } from "../../export/export-store.ts";
import { exportEntity } from "./export-entity.ts";

/** `GET /export/signal-feedback`: what people said of signals (completions 13). */
export function exportSignalFeedback(dependencies: { exports: ExportStore }): Handler {
  return exportEntity(dependencies, "signal-feedback");
}
