import type { Bus, Consuming } from "@touchstone/bus";
import {
  type ActRecorder,
  actRecorders,
  type EventContract,
  evalRunsActRecorded,
  ingestActRecorded,
  monitorActRecorded,
} from "@touchstone/contracts";
import type { ActFile } from "./reported-act-store.ts";

const tellings: Readonly<Record<ActRecorder, typeof ingestActRecorded & EventContract>> = {
  ingest: ingestActRecorded,
  "eval-runs": evalRunsActRecorded,
  monitor: monitorActRecorded,
};

/** Consumes administrative acts of other services: they belong in the same log as those of auth (decision 34). */
export async function consumeActsRecorded(bus: Bus, { acts }: { acts: ActFile }): Promise<Consuming> {
  const consuming = await Promise.all(
    actRecorders.map((service) =>
      bus.consume(tellings[service], { durable: `auth-acts-of-${service}` }, async (act) => acts.file(act)),
    ),
  );
  return {
    async stop() {
      await Promise.all(consuming.map((one) => one.stop()));
    },
  };
}
