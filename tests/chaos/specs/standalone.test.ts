import { afterAll, beforeAll, expect, test } from "vitest";
import { auditUnderLoad } from "../src/audited-load.ts";
import { expectClean } from "../src/expect-clean.ts";
import { type StandaloneSystem, startStandaloneSystem } from "../src/standalone-system.ts";

let standalone: StandaloneSystem;

beforeAll(async () => {
  standalone = await startStandaloneSystem();
});

afterAll(async () => {
  await standalone?.stop();
});

test("row 5: a standalone that is killed with all its processes has each acknowledged trace once after a restart", {
  tags: ["spec:ingest.synchronous"],
}, async () => {
  const seed = 405;
  const report = await auditUnderLoad(standalone, { seed }, async (load) => {
    await load.awaitAcks(100);
    await standalone.killEverything();
    await standalone.start();
    await load.awaitAcks(50);
  });

  expectClean(report, { seed });
});

test("row 6: a standalone whose PostgreSQL is killed restarts it each time, and no acknowledged write is lost", async () => {
  const seed = 406;
  const report = await auditUnderLoad(standalone, { seed }, async (load) => {
    for (let kill = 1; kill <= 3; kill += 1) {
      await load.awaitAcks(30);
      await standalone.killPostgres();
      expect((await fetch(`${standalone.urls[0]}/health/live`)).status).toBe(200);
    }
    await load.awaitAcks(30);
    for (const answer of load.answers) if (answer?.status === 503) expect(answer.headers["retry-after"]).toBe("2");
  });

  expectClean(report, { seed });
  expect(await standalone.isRunning()).toBe(true);
});

test("row 55: a standalone whose nats-server is killed repeatedly continues, and restarts it each time", async () => {
  const seed = 455;
  const report = await auditUnderLoad(standalone, { seed, pauseMs: 20 }, async (load) => {
    for (let kill = 1; kill <= 4; kill += 1) {
      await standalone.killNats();
      await load.awaitAcks(5);
    }
    expect((await fetch(`${standalone.urls[0]}/health/ready`)).status).toBe(200);
    const metrics = await (await fetch(`${standalone.urls[0]}/metrics`)).text();
    expect(metrics).toMatch(/^service_event_loop_stall_seconds_count\{service="standalone"\} [1-9]/m);
  });

  expectClean(report, { seed });
  expect(await standalone.isRunning()).toBe(true);
});

test("row 56: a standalone whose event loop is blocked ends at Ctrl-C, stops its servers, and keeps all acknowledged data", async () => {
  const seed = 456;
  const report = await auditUnderLoad(standalone, { seed }, async (load) => {
    await load.awaitAcks(60);
    await standalone.blockLoop();
    // Null: the machine is too busy to find out in time what blocks the loop.
    expect([1, null]).toContain(await standalone.interrupt());
    expect(standalone.logTails()).toContain("The stop took too long, because the event loop is blocked; exiting.");
    expect(await standalone.readLastWordOfPostgres()).toContain("database system is shut down");
    await standalone.start();
    await load.awaitAcks(30);
  });

  expectClean(report, { seed });
});
