import { connectBus } from "@touchstone/bus";
import { defineEvent, type StoredTrace, tracesSettled, tracesStored } from "@touchstone/contracts";
import { createLogger, createMetrics, type Service, systemClock, uuidv7 } from "@touchstone/service-kit";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { createMonitor, readMonitorConfig } from "../src/index.ts";
import { buildSettledTrace } from "./builders.ts";

const logger = createLogger({ service: "monitor", level: "silent" });
let database: TestDatabase;
let nats: TestNats;
let monitor: Service;
const metrics = createMetrics();

beforeAll(async () => {
  database = await createTestDatabase();
  nats = await startTestNats();
  const { config } = readMonitorConfig({
    PORT: "0",
    SERVICE_DB_URL: database.url,
    SERVICE_NATS_URL: nats.url,
    SERVICE_INGEST_URL: "http://127.0.0.1:1",
    SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
  });
  monitor = createMonitor(config, { logger, clock: systemClock, metrics });
  await monitor.start();
});

afterAll(async () => {
  await monitor?.stop();
  await nats?.stop();
  await database?.drop();
});

const buildStoredTrace = (overrides: Partial<StoredTrace> = {}): StoredTrace => ({
  projectId: uuidv7(1),
  traceId: uuidv7(2),
  agentId: null,
  name: "weather-agent",
  createdAt: "2026-01-02T03:04:05.678Z",
  trafficSource: null,
  monitor: null,
  patternIds: null,
  ...overrides,
});

async function readSeen(): Promise<{ trace_id: string; name: string; pattern_ids: string[] | null }[]> {
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      "select trace_id, name, pattern_ids from monitor.seen_traces order by trace_id",
    );
    return rows;
  } finally {
    await client.end();
  }
}

test("each trace of an event is recorded, once, however often the event comes", async () => {
  const bus = connectBus({ url: nats.url, service: "ingest", logger });
  await vi.waitFor(() => expect(bus.status()).toBe("connected"));
  const traces = [
    buildStoredTrace({ name: "first", patternIds: ["a", "b,c", '"d"'] }),
    buildStoredTrace({ name: "second", patternIds: [] }),
  ];

  // Message ids differ, so that JetStream's own dedupe does not do monitor's work.
  for (const messageId of ["one", "two", "three"]) await bus.publish(tracesStored, { traces }, { messageId });
  await bus.publish(tracesStored, { traces: [buildStoredTrace({ name: "last" })] }, { messageId: "four" });

  await vi.waitFor(async () => expect((await readSeen()).map((seen) => seen.name)).toContain("last"));
  await vi.waitFor(async () => expect(await readSeen()).toHaveLength(3));
  expect((await readSeen()).find((seen) => seen.name === "first")?.pattern_ids).toEqual(["a", "b,c", '"d"']);
  await bus.drain();
});

test("a pattern id that PostgreSQL cannot store is left out, and loses no trace of its event", async () => {
  const bus = connectBus({ url: nats.url, service: "ingest", logger });
  await vi.waitFor(() => expect(bus.status()).toBe("connected"));
  const other = (name: string) => ({ name, projectId: uuidv7(3) });
  const stored = [
    buildStoredTrace({ traceId: uuidv7(4), name: "stored odd", patternIds: ["a\0", "b"] }),
    buildStoredTrace({ traceId: uuidv7(5), ...other("stored") }),
  ];
  const settled = [
    buildSettledTrace({ name: "settled odd", patternIds: ["\ud800"] }),
    buildSettledTrace(other("settled")),
  ];

  await bus.publish(tracesStored, { traces: stored }, { messageId: "stored with odd ids" });
  await bus.publish(tracesSettled, { traces: settled }, { messageId: "settled with odd ids" });

  const names = ["stored odd", "stored", "settled odd", "settled"];
  await vi.waitFor(async () =>
    expect((await readSeen()).map((seen) => seen.name)).toEqual(expect.arrayContaining(names)),
  );
  const seen = new Map((await readSeen()).map(({ name, pattern_ids }) => [name, pattern_ids]));
  expect(names.map((name) => seen.get(name))).toEqual([["b"], null, [], null]);
  await bus.drain();
});

test("an event that monitor cannot read is counted as a dead letter", async () => {
  const bus = connectBus({ url: nats.url, service: "ingest", logger });
  await vi.waitFor(() => expect(bus.status()).toBe("connected"));
  const unreadable = defineEvent({ ...tracesStored, body: z.object({ rows: z.array(z.string()) }) });
  await bus.publish(unreadable, { rows: [] }, { messageId: "of another version" });
  const counted = 'service_bus_dead_letters_total{service="monitor",durable="monitor-traces-stored"} 1';
  await vi.waitFor(async () => expect(await metrics.metrics()).toContain(counted));
  await bus.drain();
});

test("it is ready with its database, and says how the bus is", async () => {
  await vi.waitFor(async () =>
    expect(await monitor.readiness()).toEqual({
      ready: true,
      checks: { schema: "ok", clock: "ok", database: "ok", bus: "connected", events: "ok" },
    }),
  );
});
