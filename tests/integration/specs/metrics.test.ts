import { type Metric, metricFamilies, serviceNames, submitTraceReply } from "@touchstone/contracts";
import { buildTrace } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createClient } from "../src/client.ts";
import { type System, startSystem } from "../src/start-system.ts";

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(async () => {
  await system?.stop();
});

async function scrape(service: string): Promise<string> {
  const process = service === "judge" ? system.judges[0] : system.services[service as "auth"];
  return (await fetch(`${process?.address}/metrics`)).text();
}

test.for(serviceNames)(
  "%s exposes the metrics that the contracts state, of that type, with that help",
  async (service) => {
    const stated = Object.entries<Metric>(metricFamilies)
      .filter(([, { services }]) => services.includes(service))
      .map(([name, { type, help }]) => `${name} ${type} ${help}`);

    // Some are registered by work that begins after the migrations.
    await vi.waitFor(async () => {
      const text = await scrape(service);
      const helps = new Map([...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, name, help]) => [name, help]));
      const exposed = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
        ([, name, type]) => `${name} ${type} ${helps.get(name)}`,
      );
      // A gateway repeats those of other services.
      if (service === "gateway") expect(exposed).toEqual(expect.arrayContaining(stated));
      else expect(exposed.toSorted()).toEqual(stated.toSorted());
    });
  },
);

test("a scrape shows the commits, the outbox, the connections and the settling of ingest", async () => {
  const client = createClient(system);
  await client.expect(
    { status: 201, schema: submitTraceReply },
    "POST",
    "/ingest/traces",
    buildTrace({ spanId: "one" }),
  );

  // A reading of the outbox is kept for 10 s, and on a busy machine one may fail or a statement may wait for a connection.
  await vi.waitFor(
    async () => {
      const text = await scrape("ingest");
      expect(text).toMatch(/^service_ingest_commit_seconds_count [1-9]/m);
      expect(text).toMatch(/^service_ingest_settling_delay_seconds \d/m);
      expect(text).toMatch(/^service_outbox_events_waiting\{service="ingest"\} \d+$/m);
      expect(text).toMatch(/^service_outbox_oldest_event_age_seconds\{service="ingest"\} \d/m);
      for (const role of ["app", "maintenance"]) {
        expect(text).toContain(`service_database_connections_in_use{service="ingest",role="${role}"}`);
        expect(text).toContain(`service_database_waiting{service="ingest",role="${role}"} 0`);
      }
    },
    { interval: 500 },
  );
});

test.for(["auth", "eval-runs", "judge", "monitor"])("the outbox of %s can be read", async (service) => {
  // A reading is kept for 10 s.
  await vi.waitFor(
    async () => expect(await scrape(service)).toMatch(/^service_outbox_events_waiting\{service="[\w-]+"\} \d+$/m),
    { interval: 500 },
  );
});
