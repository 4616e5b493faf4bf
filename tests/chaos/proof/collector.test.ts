import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "@touchstone/contracts";
import { findFreePort } from "@touchstone/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { hasGo } from "../../../tools/go-program.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { type Collector, type CollectorExporter, startCollector } from "../src/collector.ts";
import { type Installation, startInstallation } from "../src/installation.ts";
import { type ExportedSpan, encodeProtobufExport, field } from "../src/otlp-export.ts";

const spansSent = process.env.TOUCHSTONE_LONG_TESTS === "1" ? 1_000_000 : 100_000;
const spansPerTrace = 5;
const spansPerExport = 500;
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
  const system = await startInstallation({
    ingests: 2,
    settings: { SERVICE_OTLP_GRPC_PORT: String(grpcPort), ...settings },
  });
  cleanups.push(() => system.stop());
  const { id: projectId, apiKey } = await system.createProject(exporter);
  const connect = async (key: string): Promise<Collector> => {
    const gatewayUrl = system.urls[0] as string;
    const collector = await startCollector({ exporter, gatewayUrl, grpcPort, apiKey: key, queueBytes });
    cleanups.push(() => collector.stop());
    return collector;
  };
  return { system, projectId, apiKey, collector: await connect(apiKey), connect };
}

/** Spans of whole traces: a root, and children of the root. */
function buildSpans(count: number): ExportedSpan[] {
  const startNano = BigInt(Date.now()) * 1_000_000n;
  let traceId = "";
  let rootId = "";
  return Array.from({ length: count }, (_, index) => {
    const spanId = randomBytes(8).toString("hex");
    const isRoot = index % spansPerTrace === 0;
    if (isRoot) {
      traceId = randomBytes(16).toString("hex");
      rootId = spanId;
    }
    const attributes = { "gen_ai.operation.name": "chat", "input.value": `question ${spanId}` };
    const parentSpanId = isRoot ? null : rootId;
    return { traceId, spanId, parentSpanId, name: "chat", startNano, endNano: startNano + 5_000_000n, attributes };
  });
}

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

/** The faults, in the order in which they come while the spans arrive. */
function faultsFor({ ingests, postgres, nats, database }: Installation, collector: Collector): (() => Promise<void>)[] {
  const restartIngest = (index: number, end: "kill" | "stop") => async (): Promise<void> => {
    const ingest = ingests[index % ingests.length] as (typeof ingests)[number];
    // So that spans are stored whose answer is lost: the Collector must send them again.
    if (end === "kill") {
      await database.set({ kind: "hold-answers" });
      await sleep(1_000);
    }
    await ingest[end]();
    await database.set({ kind: "pass" });
    await ingest.start();
  };
  return [
    restartIngest(0, "kill"),
    restartIngest(1, "stop"),
    () => postgres.restart(),
    restartIngest(0, "stop"),
    () => nats.restart(),
    restartIngest(1, "kill"),
    () => collector.killAndRestart(),
    restartIngest(0, "kill"),
  ];
}

describe.skipIf(!hasGo())("a Collector", () => {
  test.each(exporters)(
    `${spansSent} spans arrive over %s, each once, through restarts of ingest, PostgreSQL, NATS and the Collector`,
    async (exporter) => {
      // Room for about a tenth of the default spans, so that the Collector refuses its senders meanwhile.
      const { system, collector, projectId, apiKey } = await start(exporter, { queueBytes: 2 * 1024 * 1024 });
      const sent = new Set<string>();
      let refused = 0;
      let built = 0;
      const startedMs = performance.now();
      const senders = Array.from({ length: sendersMax }, async () => {
        while (built < spansSent) {
          built += spansPerExport;
          const spans = buildSpans(spansPerExport);
          for (const { spanId } of spans) sent.add(spanId);
          refused += await sendTo(collector, encodeProtobufExport(spans));
        }
      });
      const faults = faultsFor(system, collector);
      const hurting = (async () => {
        for (const [index, hurt] of faults.entries()) {
          await awaitStored(system, projectId, (spansSent * (index + 1)) / (faults.length + 2));
          await hurt();
        }
      })();
      await Promise.all([...senders, hurting]);
      await awaitStored(system, projectId, spansSent);
      const seconds = (performance.now() - startedMs) / 1_000;
      const rate = Math.round(spansSent / seconds);
      process.stdout.write(
        `${exporter}: ${rate} spans/s, with ${faults.length} faults and ${refused} refused exports\n`,
      );

      await waitUntil("the Collector's queue is empty", async () => {
        return (await collector.readMetric("otelcol_exporter_queue_size")) === 0;
      });
      const { rows } = await system.postgres.query<{ span_id: string }>(
        "select span_id from ingest.spans where project_id = $1",
        [projectId],
      );
      expect(rows).toHaveLength(spansSent);
      expect(rows.filter(({ span_id }) => !sent.delete(span_id))).toEqual([]);
      expect([...sent]).toEqual([]);
      expect(await countStored(system, projectId)).toBe(spansSent);
      const list = await fetch(`${system.urls[0]}/api/v1/ingest/traces?limit=1`, { headers: { "x-api-key": apiKey } });
      expect(await list.json()).toMatchObject({ totalCount: spansSent / spansPerTrace });
      expect(await collector.readMetric("otelcol_exporter_sent_spans")).toBeGreaterThan(0);
      expect(await collector.readMetric("otelcol_exporter_send_failed_spans")).toBe(0);
      expect(collector.log()).not.toContain("Dropping data");
      expect(refused).toBeGreaterThan(0);
      await waitUntil("monitor has received every trace", async () => {
        return (await system.countAnnounced(projectId)).size === spansSent / spansPerTrace;
      });
      expect([...(await system.countAnnounced(projectId)).values()].filter((count) => count !== 1)).toEqual([]);
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
            body: new Uint8Array(encodeProtobufExport(buildSpans(2_000))),
          });
          await response.arrayBuffer();
          if (response.status === 429) refusals += 1;
          await sleep(200);
        }
      });
      await expect.poll(() => refusals).toBeGreaterThan(0);
      const spans = buildSpans(2_000);
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

    await sendTo(collector, encodeProtobufExport(buildSpans(11 * spansPerTrace)));

    await expect.poll(collector.log).toMatch(expected);
  });

  test.each([
    ["otlp_http", /Dropping data.*Status Code 400/, /Dropping data.*Status Code 401/],
    ["otlp_grpc", /Dropping data.*InvalidArgument/, /Dropping data.*Unauthenticated/],
  ] as const)("over %s, what can never be stored is dropped at once", async (exporter, invalid, unauthenticated) => {
    const { system, collector, projectId, connect } = await start(exporter);
    const [root, ...children] = buildSpans(spansPerTrace) as [ExportedSpan, ...ExportedSpan[]];

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
