import type { Handler } from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest/ingest-client.ts";
import type { SignalStore } from "../../signals/signal-store.ts";
import { requireProject } from "../require-project.ts";
import { readSignalFilter } from "./read-signal-filter.ts";
import { showSignals } from "./show-signals.ts";

/** GET /monitor/signals (completions 9.4): last seen first. */
export function listSignals({ signals, ingest }: { signals: SignalStore; ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const filter = readSignalFilter(call);
    const found = filter === null ? [] : await signals.list(projectId, filter);
    return { status: 200, body: { signals: await showSignals(ingest, projectId, found) } };
  };
}
