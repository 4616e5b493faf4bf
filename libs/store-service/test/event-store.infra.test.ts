import { randomUUID } from "node:crypto";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBus } from "@touchstone/bus";
import { projectDeleting } from "@touchstone/contracts";
import { createLogger, createMetrics, readStoreServiceConfig } from "@touchstone/service-kit";
import {
  createScriptedClock,
  createTestDatabase,
  findFreePort,
  startTestNats,
  startThrowAwayNatsCluster,
  type TestDatabase,
} from "@touchstone/testkit";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createStoreService } from "../src/index.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
});

/** Starts a service that consumes one kind of event with `handle`. Each call reads its readiness and its metrics afresh. */
async function startConsumer(settings: Readonly<Record<string, string>>, handle: () => Promise<void>) {
  const clock = createScriptedClock();
  const logged: string[] = [];
  const { config } = readStoreServiceConfig(
    {
      PORT: "0",
      SERVICE_DB_URL: database.url,
      SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
      ...settings,
    },
    { database: "SERVICE_MONITOR_DB_URL" },
  );
  const service = createStoreService({
    name: "monitor",
    schema: { schema: "monitor", directory: path.join(import.meta.dirname, "migrations") },
    config,
    dependencies: {
      logger: createLogger({ service: "monitor", level: "info" }, { write: (line) => void logged.push(line) }),
      clock,
      metrics: createMetrics(),
    },
    open(kit) {
      const bus = kit.connectBus();
      kit.background([
        () => bus.consume(projectDeleting, { durable: "monitor-project-deleting", concurrency: 1 }, handle),
      ]);
      return kit.serve({ routes: [], readiness: { needed: {}, shown: { bus: bus.status } } });
    },
  });
  const { address } = await service.start();
  onTestFinished(() => service.stop());
  const get = async (route: string) => {
    await clock.advance(10_000);
    return await fetch(`${address}${route}`);
  };
  return {
    async readReadiness() {
      const answer = await get("/health/ready");
      return { status: answer.status, ...((await answer.json()) as { checks: Record<string, string> }).checks };
    },
    async readBacklogs() {
      const text = await (await get("/metrics")).text();
      return text.split("\n").filter((line) => line.startsWith("service_bus_consumer_"));
    },
    readLog: () => logged.map((line) => JSON.parse(line)).filter(({ msg }) => /^NATS stores/.test(msg)),
  };
}

test("a cluster without quorum stays connected, and readiness and the log say that it stores no events", async () => {
  const cluster = await startThrowAwayNatsCluster({ findPort: findFreePort });
  onTestFinished(cluster.stop);
  const settings = { SERVICE_NATS_URL: cluster.url, SERVICE_NATS_REPLICAS: "3" };
  const service = await startConsumer(settings, async () => {});
  const ready = { status: 200, bus: "connected", events: "ok" };
  await expect.poll(service.readReadiness).toEqual(ready);
  await expect.poll(service.readBacklogs).not.toEqual([]);
  // The first election may have taken long.
  const elected = service.readLog().length;

  const [first, second] = cluster.servers;
  first?.signal("SIGKILL");
  second?.signal("SIGKILL");

  const sentence =
    "NATS is connected but stores no events: JetStream has no quorum. Start the missing servers of its cluster.";
  await expect.poll(service.readReadiness).toEqual({ ...ready, events: sentence });
  const readNews = async () => {
    await service.readReadiness();
    return service.readLog().slice(elected);
  };
  await expect.poll(readNews).toMatchObject([{ level: "error", events: expect.stringMatching(/^NATS is connected/) }]);

  await Promise.all([first?.restart(), second?.restart()]);
  await expect.poll(service.readReadiness).toEqual(ready);
  expect((await readNews()).at(-1)).toMatchObject({ level: "info", msg: "NATS stores events again" });
});

test("events that wait for a durable consumer are in its metrics, and none are while NATS is unavailable", async () => {
  const nats = await startTestNats();
  onTestFinished(() => nats.stop());
  const handled = Promise.withResolvers<void>();
  const service = await startConsumer({ SERVICE_NATS_URL: nats.url }, () => handled.promise);
  const auth = connectBus({
    url: nats.url,
    service: "auth",
    logger: createLogger({ service: "auth", level: "silent" }),
  });
  onTestFinished(() => auth.drain());
  while (auth.status() !== "connected") await sleep(10);
  const labels = '{service="monitor",durable="monitor-project-deleting"}';
  const backlog = (pending: number, ackPending: number) => [
    `service_bus_consumer_pending${labels} ${pending}`,
    `service_bus_consumer_ack_pending${labels} ${ackPending}`,
  ];
  await expect.poll(service.readBacklogs).toEqual(backlog(0, 0));

  for (const messageId of ["1", "2", "3"])
    await auth.publish(projectDeleting, { projectId: randomUUID() }, { messageId });
  await expect.poll(service.readBacklogs).toEqual(backlog(2, 1));

  await nats.kill("SIGKILL");
  await expect.poll(service.readBacklogs).toEqual([]);
  expect(await service.readReadiness()).toMatchObject({ bus: "disconnected", events: "NATS is unavailable." });

  await nats.restart();
  handled.resolve();
  await expect.poll(service.readBacklogs).toEqual(backlog(0, 0));
});
