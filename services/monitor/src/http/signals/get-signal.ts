import { listStretches, type signalDetail, stretchesOf } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { IngestClient } from "../../ingest-client.ts";
import type { SignalStore } from "../../signals/signal-store.ts";
import { showSignals } from "./show-signals.ts";
import { signalId, signalNotFound } from "./signal-id.ts";

/** GET /monitor/signals/{signalId} (completions 9.4), with how often it was seen in the last 30 days. */
export function getSignal({
  signals,
  ingest,
  clock,
}: {
  signals: SignalStore;
  ingest: IngestClient;
  clock: Clock;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const stored = (await signals.find(projectId, signalId(call))) ?? signalNotFound();
    const now = clock.now();
    const [[signal = signalNotFound()], days] = await Promise.all([
      showSignals(ingest, projectId, [stored]),
      signals.countByDay(projectId, stored, stretchesOf("30d", now).since),
    ]);
    const counts = new Map(days.map(({ start, count }) => [start.getTime(), count]));
    const trend = listStretches("30d", now).map(({ start, ts }) => ({ ts, count: counts.get(start) ?? 0 }));
    const body: z.input<typeof signalDetail> = { signal, trend };
    return { status: 200, body };
  };
}
