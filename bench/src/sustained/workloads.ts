import { randomUUID } from "node:crypto";
import { type Measurement, measureCount } from "../closed-loop.ts";
import { createRandom } from "../dataset/random.ts";
import {
  type BenchTarget,
  insistOn,
  refuseSkipped,
  resultsPerBatch,
  startRun,
  submitBatch,
} from "../graded-batches.ts";
import { type HttpConnection, openHttpConnection } from "../http-connection.ts";
import { type ExportedSpan, encodeOtlpExport } from "../otlp-export.ts";
import { createTextWriter } from "./write-texts.ts";

/** What is sent to a system that was just started. */
export interface Workload {
  title: string;
  /** What the figures are divided by. */
  unit: "trace" | "span" | "result";
  /** How many units a run sends at full size. */
  units: number;
  /** Sends about `units`; `perSecond` of the answer counts units. */
  run(target: BenchTarget, units: number, seed: number): Promise<Measurement>;
}

const resultsPerRun = 200;
const spansPerTrace = 8;

export const workloads = {
  single: sendSingles({ title: "One trace per request, 64 connections", clients: 64, units: 40_000 }),
  alone: sendSingles({ title: "One trace per request, 1 connection", clients: 1, units: 5_000 }),
  otlp512: sendExports({ title: "OTLP, 512 spans per request, 4 connections", spansPerExport: 512, units: 61_440 }),
  otlp32: sendExports({ title: "OTLP, 32 spans per request, 4 connections", spansPerExport: 32, units: 64_000 }),
  results: sendResults({ title: "Results with an instant judge, 8 connections", clients: 8, units: 4_000 }),
} satisfies Record<string, Workload>;

function sendSingles({ clients, ...workload }: { title: string; clients: number; units: number }): Workload {
  const path = "/api/v1/ingest/traces";
  return {
    ...workload,
    unit: "trace",
    run: (target, units, seed) => {
      const random = createRandom(seed);
      const writeText = createTextWriter(random);
      return withConnections(target, "application/json", clients, (connections) =>
        measureCount({
          clients,
          count: units,
          async once(client, number) {
            const trace = {
              name: `agent-${number % 5}`,
              input: writeText(),
              output: writeText(),
              model: `model-${number % 3}`,
              sessionId: `session-${random.below(5_000)}`,
              spanId: randomUUID(),
            };
            insistOn(
              201,
              await connections[client]?.post(path, JSON.stringify(trace), target.headersFor("POST", path)),
            );
          },
        }),
      );
    },
  };
}

function sendExports({
  spansPerExport,
  ...workload
}: {
  title: string;
  spansPerExport: number;
  units: number;
}): Workload {
  const [path, clients] = ["/api/v1/otel/v1/traces", 4];
  return {
    ...workload,
    unit: "span",
    async run(target, units, seed) {
      const random = createRandom(seed);
      const writeText = createTextWriter(random, { medianChars: 400, p99Chars: 4_000 });
      const writeTrace = (): ExportedSpan[] => {
        const [traceId, rootId, startMs] = [random.hex(16), random.hex(8), Date.now()];
        return Array.from({ length: spansPerTrace }, (_, place) => ({
          traceId,
          spanId: place === 0 ? rootId : random.hex(8),
          parentSpanId: place === 0 ? null : rootId,
          name: place === 0 ? `agent-${random.below(5)}` : `step-${place}`,
          startMs: startMs + place,
          endMs: startMs + place + 5,
          attributes: {
            "gen_ai.operation.name": place === 0 ? "invoke_agent" : "chat",
            "gen_ai.request.model": `model-${random.below(3)}`,
            "input.value": writeText(),
            "output.value": writeText(),
          },
        }));
      };
      const measured = await withConnections(target, "application/x-protobuf", clients, (connections) =>
        measureCount({
          clients,
          count: Math.ceil(units / spansPerExport),
          async once(client) {
            const body = encodeOtlpExport(
              "bench",
              Array.from({ length: spansPerExport / spansPerTrace }, writeTrace).flat(),
            );
            insistOn(200, await connections[client]?.post(path, body, target.headersFor("POST", path)));
          },
        }),
      );
      return { ...measured, perSecond: measured.perSecond * spansPerExport };
    },
  };
}

function sendResults({ clients, ...workload }: { title: string; clients: number; units: number }): Workload {
  return {
    ...workload,
    unit: "result",
    async run(target, units, seed) {
      const writeText = createTextWriter(createRandom(seed), { medianChars: 200, p99Chars: 1_000 });
      const runs = await Promise.all(
        Array.from({ length: clients }, async () => ({ id: await startRun(target), results: 0 })),
      );
      const measured = await withConnections(target, "application/json", clients, (connections) =>
        measureCount({
          clients,
          count: Math.ceil(units / resultsPerBatch),
          async once(client) {
            const run = runs[client] as (typeof runs)[number];
            if (run.results >= resultsPerRun) Object.assign(run, { id: await startRun(target), results: 0 });
            await submitBatch(connections[client] as HttpConnection, target, run.id, writeText);
            run.results += resultsPerBatch;
          },
        }),
      );
      for (const { id } of runs) await refuseSkipped(target, id);
      return { ...measured, perSecond: measured.perSecond * resultsPerBatch };
    },
  };
}

async function withConnections<Result>(
  { address }: BenchTarget,
  contentType: string,
  count: number,
  work: (connections: readonly HttpConnection[]) => Promise<Result>,
): Promise<Result> {
  const connections = await Promise.all(
    Array.from({ length: count }, () => openHttpConnection(address, { "content-type": contentType })),
  );
  try {
    return await work(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}
