import type { Handler } from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest/ingest-client.ts";
import type { SignalStore } from "../../signals/signal-store.ts";
import { requireProject } from "../require-project.ts";
import { showSignals } from "./show-signals.ts";
import { signalId, signalNotFound } from "./signal-id.ts";

/** GET /monitor/signals/{signalId} (completions 9.4). */
export function getSignal({ signals, ingest }: { signals: SignalStore; ingest: IngestClient }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const stored = (await signals.find(projectId, signalId(call))) ?? signalNotFound();
    const [signal] = await showSignals(ingest, projectId, [stored]);
    return { status: 200, body: { signal } };
  };
}
