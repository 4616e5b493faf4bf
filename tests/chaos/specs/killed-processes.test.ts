import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { type Installation, startInstallation } from "../src/installation.ts";

let system: Installation;

beforeAll(async () => {
  system = await startInstallation({ gateways: 2, ingests: 2 });
});

afterAll(async () => {
  await system?.stop();
});

test("row 1: a gateway that is killed in the middle of requests loses no acknowledged trace and duplicates none", async () => {
  const seed = 101;
  const report = await auditUnderLoad(system, { seed, pauseMs: 20 }, async (load) => {
    // Twice, and again until a request was cut off: a gateway may have none at the moment it is killed.
    for (let round = 0; round < 2 || (load.broken.length === 0 && round < 12); round += 1) {
      await load.awaitAcks(20);
      await sleep(load.random.integer(0, 200));
      const gateway = load.random.pick(system.gateways);
      await gateway.kill();
      await load.awaitAcks(10);
      await gateway.start();
    }
  });

  expectClean(report, { seed });
  expect(report.broken).toBeGreaterThan(0);
});

test("row 2: an ingest that is killed at any moment loses no acknowledged trace and duplicates none", async () => {
  const seed = 102;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    for (let round = 0; round < 2; round += 1) {
      await load.awaitAcks(20);
      await sleep(load.random.integer(0, 100));
      const ingest = load.random.pick(system.ingests);
      await ingest.kill();
      await load.awaitAcks(10);
      await ingest.start();
    }
    expect(load.answers.filter((answer) => answer !== null && answer.status >= 500 && answer.status !== 503)).toEqual(
      [],
    );
  });

  expectClean(report, { seed });
});

test("row 5: after kill -9 of every process, PostgreSQL included, each acknowledged trace is there once", async () => {
  const seed = 105;
  const report = await auditUnderLoad(system, { seed }, async (load) => {
    await load.awaitAcks(60);
    const services = [...system.gateways, ...system.ingests, system.auth, system.monitor];
    system.nats.signal("SIGKILL");
    await Promise.all([...services.map((service) => service.kill()), system.postgres.kill(), system.nats.exited]);
    await Promise.all([system.postgres.restart(), system.nats.restart()]);
    await Promise.all(services.map((service) => service.start()));
    await load.awaitAcks(40);
  });

  expectClean(report, { seed });
});

test("row 52: one agent is registered when a hundred first traces of one name arrive at once", async () => {
  const report = await auditUnderLoad(system, { seed: 152, writers: 0 }, async (load) => {
    const body = JSON.stringify({ name: "a new agent" });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => load.client.send("POST", "/ingest/traces", body)),
    );

    const agents = new Set(answers.map((answer) => JSON.parse(answer?.text ?? "{}").reference_agent_id));
    const { rows } = await system.postgres.query("select id from ingest.agents where project_id = $1", [
      load.projectId,
    ]);
    expect(answers.map((answer) => answer?.status)).toEqual(Array.from({ length: 100 }, () => 201));
    expect(rows).toHaveLength(1);
    expect([...agents]).toEqual(rows.map(({ id }) => id));
  });
  expect(report.findings.miscounted).toEqual([]);
});

test("row 29: one span id a hundred times at once is one trace, announced once", async () => {
  const report = await auditUnderLoad(system, { seed: 129, writers: 0 }, async (load) => {
    const body = JSON.stringify({ name: "sent a hundred times", spanId: "1" });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => load.client.send("POST", "/ingest/traces", body)),
    );

    const told = answers.map((answer) => JSON.parse(answer?.text ?? "{}") as { trace_id: string; deduped: boolean });
    const list = await load.client.read<{ totalCount: number }>("/ingest/traces");
    const used = await system.postgres.query<{ n: string }>(
      "select sum(n) as n from ingest.trace_usage where project_id = $1",
      [load.projectId],
    );
    expect(answers.map((answer) => answer?.status)).toEqual(Array.from({ length: 100 }, () => 201));
    expect(new Set(told.map(({ trace_id }) => trace_id)).size).toBe(1);
    expect(told.filter(({ deduped }) => !deduped)).toHaveLength(1);
    expect([list?.totalCount, Number(used.rows[0]?.n)]).toEqual([1, 1]);
  });
  expect([report.findings.misannounced, report.findings.unannounced]).toEqual([[], []]);
});
