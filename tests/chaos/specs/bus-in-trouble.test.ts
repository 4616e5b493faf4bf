import { rm } from "node:fs/promises";
import { connectBus } from "@touchstone/bus";
import { tracesStored } from "@touchstone/contracts";
import { createLogger } from "@touchstone/service-kit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { type Installation, startInstallation } from "../src/installation.ts";
import { databaseUrlAt } from "../src/postgres-server.ts";
import { startTcpProxy, type TcpProxy } from "../src/tcp-proxy.ts";

let system: Installation;

beforeAll(async () => {
  system = await startInstallation();
});

afterAll(async () => {
  await system?.stop();
});

async function stopBus(): Promise<void> {
  system.nats.signal("SIGKILL");
  await system.nats.exited;
}

async function wipeStore(): Promise<void> {
  await rm(system.nats.storeFolder, { recursive: true, force: true });
}

test("row 15: with the bus down, from the start or later, traces are taken, and monitor hears of them when it is back", async () => {
  const seed = 215;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(40);
    await stopBus();
    await load.awaitAcks(40);
    await system.ingests[0]?.kill();
    await system.ingests[0]?.start();
    await load.awaitAcks(40);
    await system.nats.restart();
  });

  expectClean(report, { seed });
});

test("row 15: with the bus frozen traces are taken, and monitor hears of them when it moves again", async () => {
  const seed = 315;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(40);
    system.nats.signal("SIGSTOP");
    await load.awaitAcks(80);
    system.nats.signal("SIGCONT");
  });

  expectClean(report, { seed });
});

test("row 17: the same event delivered five times has one effect", async () => {
  const bus = connectBus({
    url: system.nats.url,
    service: "ingest",
    logger: createLogger({ service: "ingest", level: "silent" }),
  });
  const report = await auditUnderLoad(system, { seed: 217, writers: 0 }, async (load) => {
    const answer = await load.client.send("POST", "/ingest/traces", JSON.stringify({ name: "announced" }));
    const { trace_id: traceId } = JSON.parse(answer?.text ?? "{}");
    const readSeen = async () =>
      (await system.postgres.query("select * from monitor.seen_traces where trace_id = $1", [traceId])).rows;
    await waitUntil("monitor has seen it", async () => (await readSeen()).length > 0);
    const before = await readSeen();
    const { project_id, agent_id, name, created_at, traffic_source, monitor, pattern_ids } = before[0] as Record<
      string,
      never
    >;
    const event = {
      traces: [
        {
          projectId: project_id,
          traceId,
          agentId: agent_id,
          name,
          createdAt: (created_at as Date).toISOString(),
          trafficSource: traffic_source,
          monitor,
          patternIds: pattern_ids,
        },
      ],
    };
    for (let copy = 0; copy < 5; copy += 1) await bus.publish(tracesStored, event, { messageId: `${traceId}-${copy}` });
    const last = await load.client.send("POST", "/ingest/traces", JSON.stringify({ name: "after them" }));
    await waitUntil("monitor has seen what came after them", async () => {
      const seen = await system.countAnnounced(load.projectId);
      return seen.has(JSON.parse(last?.text ?? "{}").trace_id);
    });

    expect(await readSeen()).toEqual(before);
  });
  expect([report.findings.misannounced, report.findings.unannounced]).toEqual([[], []]);
  await bus.drain();
});

test("row 18: wiping JetStream's store while events wait loses none of them", async () => {
  const seed = 218;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(40);
    await stopBus();
    await load.awaitAcks(40);
    await wipeStore();
    await system.nats.restart();
    await load.awaitAcks(40);
  });

  expectClean(report, { seed });
});

test("row 18: wiping JetStream's store with events in it that monitor has not taken loses none of them", async () => {
  const seed = 318;
  const report = await auditUnderLoad(system, { seed, announceWithinMs: 40_000 }, async (load) => {
    await load.awaitAcks(40);
    await system.monitor.kill();
    await load.awaitAcks(80);
    await waitUntil("all is published", async () => {
      const { rows } = await system.postgres.query("select from ingest.outbox where id <= $1", [1_000_000_000]);
      return rows.length < 5;
    });
    await stopBus();
    await wipeStore();
    await system.nats.restart();
    await system.monitor.start();
    await load.awaitAcks(20);
  });

  expectClean(report, { seed });
});

let own: Installation | undefined;
let monitorsWay: TcpProxy | undefined;

afterEach(async () => {
  await own?.stop();
  await monitorsWay?.close();
  own = undefined;
  monitorsWay = undefined;
});
