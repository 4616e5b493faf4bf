import { randomUUID } from "node:crypto";
import { findFreePort, startThrowAwayNats } from "@touchstone/embedded-servers";
import { type BenchServers, withBenchServers } from "./bench-servers.ts";
import { type Measurement, measureClosedLoop, median } from "./closed-loop.ts";
import { openHttpConnection } from "./http-connection.ts";
import type { IdentityHeaders } from "./identity-headers.ts";
import { oneRowPerCommit } from "./one-row-per-commit.ts";
import { atLeast, atMost, describeRounds, printFigure, printHeading } from "./report.ts";
import { type SingleService, startSingleService } from "./single-service.ts";

/** About 1 KB of JSON, as an agent with a short answer sends it. */
const text = "The forecast for the next days says sunshine with light wind from the west and mild nights. ".repeat(5);
const path = "/api/v1/ingest/traces";
const idleMs = 3_000;

interface Length {
  rounds: number;
  seconds: number;
}

/**
 * One 1 KB trace a request, committed before its 201: through the gateway, and directly to ingest in a separate
 * process, compared with a bare loop that inserts a row of the same size with three indexes, one commit each, into the
 * same PostgreSQL. Also measures the memory of both processes.
 */
export async function benchSingleTraces(length: Length): Promise<void> {
  await withBenchServers(async (servers) => {
    const nats = await startThrowAwayNats();
    const ingest = await startSingleService({
      name: "ingest",
      port: await findFreePort(),
      databaseUrl: servers.databaseUrl,
      natsUrl: nats.url,
    });
    try {
      await new Promise((resolve) => setTimeout(resolve, idleMs));
      const idleMb = await ingest.memoryMb();
      await compareOne(servers, length);
      await compareMany(servers, ingest, length);
      printHeading("Memory (resident, of the Node process)");
      printFigure({ what: "ingest alone, idle", value: idleMb, unit: "MB", bar: atMost(90) });
      printFigure({ what: "ingest alone, under load", value: await ingest.memoryMb(), unit: "MB", bar: atMost(150) });
      printFigure({
        what: "standalone, under load",
        value: await servers.standalone.memoryMb(),
        unit: "MB",
        bar: atMost(500),
      });
    } finally {
      await ingest.stop();
      await nats.stop();
    }
  });
}

async function compareOne({ standalone, databaseUrl }: BenchServers, { rounds, seconds }: Length): Promise<void> {
  const bare = await oneRowPerCommit({ databaseUrl, connections: 1, text });
  const yardstick: Measurement[] = [];
  const gateway: Measurement[] = [];
  for (let round = 0; round < rounds; round += 1) {
    yardstick.push(await measureClosedLoop({ clients: 1, seconds, once: bare.insertOne }));
    gateway.push(await measureIngest(standalone.address, keyHeaders(standalone.apiKey), { connections: 1, seconds }));
  }
  await bare.close();
  printHeading(`One 1 KB trace per request, 1 connection, ${rounds} rounds of ${seconds} s, medians`);
  printFigure({
    what: "p50 through the gateway / one row per commit",
    value: medianRatio(gateway, yardstick, (round) => round.p50Ms),
    unit: "",
    bar: atMost(4),
    beside: `${describeRounds(gateway)} | ${describeRounds(yardstick)}`,
  });
}

async function compareMany(
  { standalone, databaseUrl }: BenchServers,
  ingest: SingleService,
  { rounds, seconds }: Length,
): Promise<void> {
  const connections = 64;
  const bare = await oneRowPerCommit({ databaseUrl, connections, text });
  const yardstick: Measurement[] = [];
  const gateway: Measurement[] = [];
  const direct: Measurement[] = [];
  const cpuUs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    yardstick.push(await measureClosedLoop({ clients: connections, seconds, once: bare.insertOne }));
    const cpuBefore = await standalone.cpuMs();
    const measured = await measureIngest(standalone.address, keyHeaders(standalone.apiKey), { connections, seconds });
    cpuUs.push((((await standalone.cpuMs()) - cpuBefore) * 1000) / measured.answered);
    gateway.push(measured);
    direct.push(await measureIngest(ingest.address, ingest.headersFor, { connections, seconds }));
  }
  await bare.close();
  printHeading(`One 1 KB trace per request, ${connections} connections, ${rounds} rounds of ${seconds} s, medians`);
  printFigure({
    what: "through the gateway / one row per commit",
    value: medianRatio(gateway, yardstick, (round) => round.perSecond),
    unit: "",
    bar: atLeast(0.5),
    beside: `${describeRounds(gateway)} | ${describeRounds(yardstick)}`,
  });
  printFigure({
    what: "ingest directly / one row per commit",
    value: medianRatio(direct, yardstick, (round) => round.perSecond),
    unit: "",
    bar: atLeast(1.3),
    beside: `${describeRounds(direct)} | ${describeRounds(yardstick)}`,
  });
  printFigure({ what: "CPU of the standalone's Node process a request", value: median(cpuUs), unit: "us" });
}

const keyHeaders =
  (apiKey: string): IdentityHeaders =>
  () =>
    `x-api-key: ${apiKey}\r\n`;

async function measureIngest(
  address: string,
  headersFor: IdentityHeaders,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measurement> {
  const opened = await Promise.all(
    Array.from({ length: connections }, () => openHttpConnection(address, { "content-type": "application/json" })),
  );
  try {
    return await measureClosedLoop({
      clients: connections,
      seconds,
      once: async (client) => {
        const trace = {
          name: "bench-agent",
          input: text,
          output: text,
          model: "bench-model",
          framework: "bench",
          spanId: randomUUID(),
        };
        const status = await opened[client]?.post(path, JSON.stringify(trace), headersFor("POST", path));
        if (status !== 201) throw new Error(`A trace was answered ${status}.`);
      },
    });
  } finally {
    for (const connection of opened) connection.close();
  }
}

/** The median of the rounds' ratios. */
function medianRatio(
  measured: readonly Measurement[],
  yardstick: readonly Measurement[],
  read: (round: Measurement) => number,
): number {
  return median(measured.map((round, index) => read(round) / read(yardstick[index] as Measurement)));
}
