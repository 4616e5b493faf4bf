import type { Handler } from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest-client.ts";
import type { SignalStore } from "../../signals/signal-store.ts";
import { updateSignal } from "./update-signal.ts";

/** PATCH /agent-monitoring/signals/{signalId}: the other address of the same (completions 9.4). */
export function updateMonitoringSignal(dependencies: { signals: SignalStore; ingest: IngestClient }): Handler {
  return updateSignal(dependencies);
}
