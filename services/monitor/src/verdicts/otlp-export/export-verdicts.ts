import type { Database } from "@touchstone/db";
import { type Clock, createOutboundFetch, type Logger, type Metrics } from "@touchstone/service-kit";
import type { Collector } from "../../model/collector-address.ts";
import { countExports, startExportWorker } from "./export-worker.ts";
import { createSendVerdicts, exportBounds } from "./send-verdicts.ts";
import { createVerdictExportStore, trimVerdictExports } from "./verdict-export-store.ts";

/** Starts sending verdicts to the operator's collector. Without one, it only drops queued verdicts as they expire. */
export function exportVerdicts(
  collector: Collector | null,
  parts: { maintenance: Database; logger: Logger; metrics: Metrics; clock: Clock },
): { stop(): Promise<void> } {
  const { maintenance, logger, metrics, clock } = parts;
  const store = createVerdictExportStore(maintenance);
  const { onEnded } = countExports(metrics, store);
  const trimming = trimVerdictExports({ maintenance, logger, onDropped: (count) => onEnded("expired", count) });
  const sending = collector === null ? null : startSending(collector);

  async function startSending(to: Collector): Promise<{ stop(): Promise<void> }> {
    const { encodeVerdicts: encode, readAnswer } = await import("./encode-verdicts.ts");
    // The operator's own address: it may be in the installation's network.
    const fetch = createOutboundFetch({ allowsPrivateHosts: true, ...exportBounds });
    const send = createSendVerdicts({ collector: to, fetch, encode, readAnswer, clock });
    const worker = startExportWorker({ store, send, logger, onEnded, onFailing: () => trimming.sweep() });
    return {
      async stop() {
        await worker.stop();
        await fetch.close();
      },
    };
  }

  return {
    async stop() {
      await (await sending)?.stop();
      await trimming.stop();
    },
  };
}
