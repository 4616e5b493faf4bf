import { rm } from "node:fs/promises";
import { connectBus } from "@touchstone/bus";
import { type SettledTrace, tracesSettled } from "@touchstone/contracts";
import { createLogger } from "@touchstone/service-kit";
import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { type Installation, startInstallation } from "../src/installation.ts";
import { type LiveJudging, type SentTraces, startLiveJudging } from "../src/live-judging.ts";

let llm: ScriptedLlm;
let system: Installation;
let live: LiveJudging;

beforeAll(async () => {
  llm = await startScriptedLlm();
  system = await startInstallation({
    evalRuns: 1,
    judges: 1,
    settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted" },
  });
  live = await startLiveJudging(system, llm, { judgeMs: 20 });
});

afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

async function stopBus(): Promise<void> {
  system.nats.signal("SIGKILL");
  await system.nats.exited;
}

async function wipeStore(): Promise<void> {
  await rm(system.nats.storeFolder, { recursive: true, force: true });
}

/** Waits until JetStream has every event of a service's outbox. */
async function awaitPublished(schema: "ingest" | "monitor"): Promise<void> {
  await waitUntil(`JetStream has all of ${schema}'s outbox`, async () => {
    const { rows } = await system.postgres.query(`select from ${schema}.outbox where published_seq is null limit 1`);
    return rows.length === 0;
  });
}

/** Waits until every consumer has processed the committed events and the outbox is empty. */
async function awaitConsumed(schema: "ingest" | "monitor"): Promise<void> {
  await waitUntil(
    `what was in the outbox of ${schema} is consumed`,
    async () => (await system.postgres.query(`select from ${schema}.outbox limit 1`)).rows.length === 0,
    { timeoutMs: 60_000 },
  );
}

/** Blocks writes to a table while `meanwhile` runs, which can wait until this many writers are blocked. */
async function withLocked(
  table: string,
  meanwhile: (awaitWaiting: (count: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const session = await system.postgres.connect();
  try {
    await session.query("begin");
    await session.query(`lock table ${table} in exclusive mode`);
    await meanwhile((count) =>
      waitUntil(`${count} wait for ${table}`, async () => {
        const text = "select from pg_locks where not granted and relation = $1::regclass";
        return (await system.postgres.query(text, [table])).rows.length >= count;
      }),
    );
  } finally {
    await session.end();
  }
}

/** Every statement about a trace is right, and each judge was asked about each trace once. */
async function expectJudgedOnce(sent: SentTraces): Promise<void> {
  await sent.awaitJudged();
  expect(await sent.findFaults()).toEqual([]);
  expect(sent.countCalls()).toBe(sent.ids.length * 3);
}

test("row 15: with NATS down, also when monitor starts, traces are accepted, monitor is ready, and all are judged when NATS is back", async () => {
  await stopBus();
  const before = await live.send(8);
  await system.monitor.kill();
  await system.monitor.start();
  await waitUntil("monitor is ready", async () => (await fetch(`${system.monitor.url}/health/ready`)).ok);
  const after = await live.send(8);
  await system.nats.restart();

  await expectJudgedOnce(before);
  await expectJudgedOnce(after);
});

test("row 16: with NATS frozen while traces are being judged, the work in progress is judged once when NATS resumes", async () => {
  const loggedBefore = system.monitor.process.log().length;
  const underWay = await live.send(16);
  await underWay.awaitCalls(6);
  const inFlight = llm.inFlight();
  system.nats.signal("SIGSTOP");
  const meanwhile = await live.send(8);
  await waitUntil("monitor drops the connection", async () =>
    system.monitor.process.log().slice(loggedBefore).includes("bus lost its connection"),
  );
  system.nats.signal("SIGCONT");

  await underWay.awaitJudged();
  expect(await underWay.findFaults()).toEqual([]);
  expect(underWay.countCalls()).toBeLessThanOrEqual(underWay.ids.length * 3 + inFlight);
  await expectJudgedOnce(meanwhile);
});

test("row 17: an event in six copies, all held by a slow monitor at once, is planned and judged once", async () => {
  const logger = createLogger({ service: "ingest", level: "silent" });
  const bus = connectBus({ url: system.nats.url, service: "ingest", logger });
  await waitUntil("the bus is connected", async () => bus.status() === "connected");
  let sent: SentTraces | undefined;
  await withLocked("monitor.seen_traces", async (awaitWaiting) => {
    sent = await live.send(1);
    const { rows } = await system.postgres.query<{ body: string }>(
      "select body::text as body from ingest.outbox where subject = $1 and body::text like $2",
      [tracesSettled.subject, `%${sent.ids[0]}%`],
    );
    const event = JSON.parse(rows[0]?.body ?? "") as { traces: SettledTrace[] };
    for (let copy = 1; copy <= 5; copy += 1) {
      await bus.publish(tracesSettled, event, { messageId: `copy-${copy}-of-${sent.ids[0]}` });
    }
    await awaitWaiting(6);
  });
  await bus.drain();

  await expectJudgedOnce(sent as SentTraces);
  await awaitConsumed("ingest");
  await awaitConsumed("monitor");
  await expectJudgedOnce(sent as SentTraces);
});

test("row 18: wiping JetStream's store after it accepted traces to be judged, which monitor has not received, loses nothing", async () => {
  await system.monitor.kill();
  const sent = await live.send(12);
  await awaitPublished("ingest");
  await stopBus();
  await wipeStore();
  await system.nats.restart();
  await system.monitor.start();

  await expectJudgedOnce(sent);
  await awaitConsumed("ingest");
});

test("row 18: wiping JetStream's store after it accepted verdicts of monitor, which ingest has not received, loses nothing", async () => {
  let sent: SentTraces | undefined;
  await withLocked("ingest.trace_verdicts", async () => {
    sent = await live.send(20);
    await waitUntil("monitor has published all verdicts", async () => (await sent?.findFaults("stored"))?.length === 0);
    await awaitPublished("monitor");
    await stopBus();
    await wipeStore();
  });
  const lost = await (sent as SentTraces).findFaults();
  await system.nats.restart();

  await expectJudgedOnce(sent as SentTraces);
  await awaitConsumed("monitor");
  // Otherwise nothing was lost and the test proves nothing.
  expect(lost).not.toEqual([]);
});
