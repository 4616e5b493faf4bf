import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBus } from "@touchstone/bus";
import { limits, tracesSettled } from "@touchstone/contracts";
import { createLogger } from "@touchstone/service-kit";
import { findFreePort, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { hasGo } from "../../../tools/go-program.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { readClientFigures, readExport } from "../src/client-figures.ts";
import { type Collector, type CollectorExporter, startCollector } from "../src/collector.ts";
import { type Installation, type ServiceSlot, startInstallation } from "../src/installation.ts";
import { type ExportedSpan, encodeProtobufExport, field } from "../src/otlp-export.ts";
import { buildTrace, expectFigures, rateTrace, spansPerTrace, startWatching } from "../src/watched-traffic.ts";

const spansSent = process.env.TOUCHSTONE_LONG_TESTS === "1" ? 1_000_000 : 100_000;
const tracesPerExport = 100;
const sendersMax = 4;
const deadlineMs = 600_000;
const exporters = ["otlp_http", "otlp_grpc"] as const;

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Scene {
  system: Installation;
  projectId: string;
  apiKey: string;
  /** The provider of the live judges. */
  llm: ScriptedLlm;
  /** Sends to the project. */
  collector: Collector;
  /** Starts another Collector, with this key. */
  connect(apiKey: string): Promise<Collector>;
}

async function start(
  exporter: CollectorExporter,
  { settings = {}, queueBytes = 64 * 1024 * 1024 }: { settings?: Record<string, string>; queueBytes?: number } = {},
): Promise<Scene> {
  const grpcPort = await findFreePort();
  const llm = await startScriptedLlm();
  cleanups.push(() => llm.stop());
  const system = await startInstallation({
    ingests: 2,
    evalRuns: 1,
    judges: 1,
    settings: {
      SERVICE_OTLP_GRPC_PORT: String(grpcPort),
      OPENAI_BASE_URL: llm.baseUrl,
      OPENAI_API_KEY: "sk-scripted",
      ...settings,
    },
  });
  cleanups.push(() => system.stop());
  const { id: projectId, apiKey } = await system.createProject(exporter);
  const connect = async (key: string): Promise<Collector> => {
    const gatewayUrl = system.urls[0] as string;
    const collector = await startCollector({ exporter, gatewayUrl, grpcPort, apiKey: key, queueBytes });
    cleanups.push(() => collector.stop());
    return collector;
  };
  return { system, projectId, apiKey, llm, collector: await connect(apiKey), connect };
}

/** The spans of traces with consecutive numbers. */
const buildTraces = (count: number, first = 1): ExportedSpan[] =>
  Array.from({ length: count }, (_, index) => buildTrace(first + index)).flat();

/** Sends an export until the Collector takes it, as an SDK does. Returns how often it was refused. */
async function sendTo(collector: Collector, body: Buffer): Promise<number> {
  const deadline = Date.now() + deadlineMs;
  for (let refused = 0; ; refused += 1) {
    const status = await fetch(`${collector.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/x-protobuf" },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(30_000),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      // It is being restarted.
      () => null,
    );
    if (status === 200) return refused;
    if (status !== null && status !== 429 && status !== 503) throw new Error(`The Collector answered ${status}`);
    if (Date.now() > deadline) throw new Error("The Collector takes no exports.");
    await sleep(100);
  }
}

async function countStored({ postgres }: Installation, projectId: string): Promise<number> {
  const { rows } = await postgres.query<{ n: number }>(
    "select count(*)::int as n from ingest.span_keys where project_id = $1",
    [projectId],
  );
  return rows[0]?.n ?? 0;
}

const awaitStored = (system: Installation, projectId: string, count: number): Promise<void> =>
  waitUntil(`${count} spans are stored`, async () => (await countStored(system, projectId)) >= count, {
    timeoutMs: deadlineMs,
    everyMs: 250,
  });

/** Waits until nothing is left to settle, to announce or to judge: whatever was to be counted twice is. */
async function awaitQuiet({ postgres }: Installation): Promise<void> {
  await waitUntil(
    "every trace has settled, every event is consumed and every check carried out",
    async () => {
      const { rows } = await postgres.query<{ what: string }>(`
        (select 'a trace to settle' as what from ingest.traces where settles_at is not null limit 1)
        union all (select 'an event of ingest' from ingest.outbox limit 1)
        union all (select 'a check' from monitor.checks where settled_at is null limit 1)
        union all (select 'an event of monitor' from monitor.outbox limit 1)`);
      if (rows.length > 0) throw new Error(`There is ${rows.map(({ what }) => what).join(", ")}.`);
      return true;
    },
    { timeoutMs: deadlineMs, everyMs: 500 },
  );
}

/** Publishes every event about settled traces again that has not left the outbox. */
async function deliverAgain({ nats, postgres }: Installation): Promise<void> {
  let bodies: string[] = [];
  await waitUntil("there are events about settled traces", async () => {
    const { rows } = await postgres.query<{ body: string }>(
      "select body::text as body from ingest.outbox where subject = $1",
      [tracesSettled.subject],
    );
    bodies = rows.map(({ body }) => body);
    return bodies.length > 0;
  });
  const logger = createLogger({ service: "ingest", level: "silent" });
  const bus = connectBus({ url: nats.url, service: "ingest", logger });
  await waitUntil("the bus is connected", async () => bus.status() === "connected");
  for (const body of bodies) await bus.publish(tracesSettled, JSON.parse(body), { messageId: randomUUID() });
  await bus.drain();
}

/** The faults, in the order in which they come while the spans arrive. */
function faultsFor(system: Installation, collector: Collector): (() => Promise<void>)[] {
  const { ingests, monitor, postgres, nats, database } = system;
  const [first, second] = ingests as [ServiceSlot, ServiceSlot];
  const restart = (slot: ServiceSlot) => async (): Promise<void> => {
    await slot.stop();
    await slot.start();
  };
  /** What it commits meanwhile is stored although its answer is lost, so the spans are sent again. */
  const killUnanswered = (slot: ServiceSlot) => async (): Promise<void> => {
    await database.set({ kind: "hold-answers" });
    await sleep(1_000);
    await slot.kill();
    await database.set({ kind: "pass" });
    await slot.start();
  };
  const killAndDeliverAgain = async (): Promise<void> => {
    await monitor.kill();
    // While it is stopped, events stay in the outbox.
    await deliverAgain(system);
    await monitor.start();
  };
  return [
    killUnanswered(first),
    restart(second),
    () => postgres.restart(),
    killAndDeliverAgain,
    restart(first),
    () => nats.restart(),
    killUnanswered(second),
    () => collector.killAndRestart(),
    killUnanswered(first),
    killAndDeliverAgain,
  ];
}

describe.skipIf(!hasGo())("a Collector", () => {
  test.each(exporters)(
    `${spansSent} spans arrive over %s and count once, through restarts of ingest, PostgreSQL, NATS, monitor and the Collector`,
    async (exporter) => {
      // Room for about a tenth of the default spans, so that the Collector refuses its senders meanwhile.
      const { system, collector, llm, projectId, apiKey } = await start(exporter, { queueBytes: 2 * 1024 * 1024 });
      const project = { url: system.urls[0] as string, apiKey };
      const sent = new Set<string>();
      let refused = 0;
      const send = async (spans: readonly ExportedSpan[]): Promise<void> => {
        for (const { traceId, spanId } of spans) sent.add(`${traceId} ${spanId}`);
        refused += await sendTo(collector, encodeProtobufExport(spans));
      };
      llm.answerWith(rateTrace);
      const { evaluatorId, before, next: first } = await startWatching(project, send);
      const callsBefore = llm.requests.length;
      const storedBefore = await countStored(system, projectId);
      const end = first + spansSent / spansPerTrace;
      const expected = expectFigures(before, first, end);

      const startedMs = performance.now();
      let next = first;
      const senders = Array.from({ length: sendersMax }, async () => {
        for (; next < end; ) {
          const number = next;
          next += tracesPerExport;
          await send(buildTraces(tracesPerExport, number));
        }
      });
      const faults = faultsFor(system, collector);
      const hurting = (async () => {
        for (const [index, hurt] of faults.entries()) {
          await awaitStored(system, projectId, storedBefore + (spansSent * (index + 1)) / (faults.length + 2));
          await hurt();
        }
      })();
      await Promise.all([...senders, hurting]);
      await awaitStored(system, projectId, storedBefore + spansSent);
      const seconds = (performance.now() - startedMs) / 1_000;
      const rate = Math.round(spansSent / seconds);
      process.stdout.write(
        `${exporter}: ${rate} spans/s, with ${faults.length} faults and ${refused} refused exports\n`,
      );

      await waitUntil("the Collector's queue is empty", async () => {
        return (await collector.readMetric("otelcol_exporter_queue_size")) === 0;
      });
      await awaitQuiet(system);
      expect(await readClientFigures(project, evaluatorId)).toEqual(expected);
      const exported = await readExport(project);
      expect(exported.filter((ids) => !sent.delete(ids))).toEqual([]);
      expect([...sent]).toEqual([]);
      expect(llm.requests.length - callsBefore).toBe(expected.ratings - before.ratings);
      expect(await collector.readMetric("otelcol_exporter_sent_spans")).toBeGreaterThan(0);
      expect(await collector.readMetric("otelcol_exporter_send_failed_spans")).toBe(0);
      expect(collector.log()).not.toContain("Dropping data");
      expect(refused).toBeGreaterThan(0);
      expect(await system.listEnded()).toEqual([]);
    },
  );

  test.each(exporters)(
    "over %s, an export that finds a full queue waits for the time in the answer, and is stored",
    async (exporter) => {
      const { system, collector, projectId, apiKey } = await start(exporter);
      // Nothing leaves the queues of ingest while the table is locked.
      const lock = await system.postgres.connect();
      cleanups.push(() => lock.end());
      await lock.query("begin; lock table ingest.span_keys in access exclusive mode");
      let refusals = 0;
      const unlocked = new AbortController();
      const filling = Array.from({ length: 20 }, async () => {
        while (!unlocked.signal.aborted) {
          const response = await fetch(`${system.urls[0]}/api/v1/otel/v1/traces`, {
            method: "POST",
            headers: { "x-api-key": apiKey, "content-type": "application/x-protobuf" },
            body: new Uint8Array(encodeProtobufExport(buildTraces(400))),
          });
          await response.arrayBuffer();
          if (response.status === 429) refusals += 1;
          await sleep(200);
        }
      });
      await expect.poll(() => refusals).toBeGreaterThan(0);
      const spans = buildTraces(400);
      await sendTo(collector, encodeProtobufExport(spans));
      await expect.poll(collector.log).toMatch(/Will retry.*Throttle \(1s\).*ingest queue full/);
      await lock.query("rollback");
      unlocked.abort();
      await Promise.all(filling);

      await waitUntil("the Collector's spans are stored", async () => {
        const { rows } = await system.postgres.query<{ n: number }>(
          "select count(*)::int as n from ingest.spans where project_id = $1 and span_id = any($2)",
          [projectId, spans.map(({ spanId }) => spanId)],
        );
        return rows[0]?.n === spans.length;
      });
      expect(collector.log()).not.toContain("Dropping data");
    },
  );

  test.each([
    ["otlp_http", "sent again in a minute", /Will retry.*Throttle \(1m0s\).*429/],
    ["otlp_grpc", "dropped", /Dropping data.*ResourceExhausted/],
  ] as const)("over %s, an export over the daily quota is %s", async (exporter, _what, expected) => {
    const { collector } = await start(exporter, { settings: { SERVICE_QUOTA_TRACES_PER_DAY: "10" } });

    await sendTo(collector, encodeProtobufExport(buildTraces(11)));

    await expect.poll(collector.log).toMatch(expected);
  });

  test.each([
    ["otlp_http", /Dropping data.*Status Code 400/, /Dropping data.*Status Code 401/],
    ["otlp_grpc", /Dropping data.*InvalidArgument/, /Dropping data.*Unauthenticated/],
  ] as const)("over %s, what can never be stored is dropped at once", async (exporter, invalid, unauthenticated) => {
    const { system, collector, projectId, connect } = await start(exporter);
    const [root, ...children] = buildTraces(1) as [ExportedSpan, ...ExportedSpan[]];

    await sendTo(collector, encodeProtobufExport([{ ...root, traceId: "0".repeat(32) }, ...children]));
    await expect.poll(collector.log).toMatch(/Partial success response.*1 of 5 spans rejected.*"dropped_spans": 1/);
    const emptyResources = Buffer.concat(Array(limits.otlpEnvelopesMax).fill(field(1, Buffer.alloc(0))));
    await sendTo(collector, Buffer.concat([encodeProtobufExport([root]), emptyResources]));
    await expect.poll(collector.log).toMatch(invalid);
    expect(await collector.readMetric("otelcol_exporter_send_failed_spans")).toBe(1);
    // It goes on with what comes next.
    await sendTo(collector, encodeProtobufExport([root]));
    await awaitStored(system, projectId, spansPerTrace);

    const stranger = await connect("not-a-key");
    await sendTo(stranger, encodeProtobufExport([root]));
    await expect.poll(stranger.log).toMatch(unauthenticated);
  });
});
