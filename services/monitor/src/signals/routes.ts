import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import { getSignal } from "../http/signals/get-signal.ts";
import { listSignals } from "../http/signals/list-signals.ts";
import { updateMonitoringSignal } from "../http/signals/update-monitoring-signal.ts";
import { updateSignal } from "../http/signals/update-signal.ts";
import type { IngestClient } from "../ingest-client.ts";
import { createSignalFeedback } from "./create-signal-feedback.ts";
import type { SignalStore } from "./signal-store.ts";

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
