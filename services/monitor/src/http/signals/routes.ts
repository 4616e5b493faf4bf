import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest/ingest-client.ts";
import type { SignalStore } from "../../signals/signal-store.ts";
import { createSignalFeedback } from "./create-signal-feedback.ts";
import { getSignal } from "./get-signal.ts";
import { listSignals } from "./list-signals.ts";
import { updateMonitoringSignal } from "./update-monitoring-signal.ts";
import { updateSignal } from "./update-signal.ts";

/** Signals (completions 9.4); two addresses triage them. */
export function signalRoutes(dependencies: {
  signals: SignalStore;
  ingest: IngestClient;
  clock: Clock;
}): ServedRoute[] {
  return [
    { route: routes.listSignals, handle: listSignals(dependencies) },
    { route: routes.getSignal, handle: getSignal(dependencies) },
    { route: routes.updateSignal, handle: updateSignal(dependencies) },
    { route: routes.updateMonitoringSignal, handle: updateMonitoringSignal(dependencies) },
    { route: routes.createSignalFeedback, handle: createSignalFeedback(dependencies) },
  ];
}
