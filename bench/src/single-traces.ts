import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openHome, startPostgres } from "@touchstone/embedded-servers";
import { type Measurement, measureClosedLoop, median } from "./closed-loop.ts";
import { openHttpConnection } from "./http-connection.ts";
import { oneRowPerCommit } from "./one-row-per-commit.ts";
import { type Standalone, startStandalone } from "./standalone.ts";

const connectionCounts = [1, 64];

/** About 1 KB of JSON, as an agent with a short answer sends it. */
const text = "The forecast for the next days says sunshine with light wind from the west and mild nights. ".repeat(5);

/**
 * One 1 KB trace a request through the gateway, committed before its 201, beside a bare loop that inserts a row of the
 * same size with three indexes, one commit each, into the same PostgreSQL.
 */
export async function benchSingleTraces(options: { rounds: number; seconds: number }): Promise<void> {
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-bench-"));
  const opened = await openHome({ folder: home, onProgress: () => {} });
  try {
    const postgres = await startPostgres({ home: opened, onEvent: () => {} });
    const standaloneHome = await mkdtemp(path.join(tmpdir(), "touchstone-bench-"));
    const standalone = await startStandalone({ home: standaloneHome, settings: { SERVICE_DB_URL: postgres.url } });
    try {
      await compare(standalone, postgres.url, options);
    } finally {
      await standalone.stop();
      await rm(standaloneHome, { recursive: true, force: true });
    }
  } finally {
    await opened.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function compare(
  standalone: Standalone,
  databaseUrl: string,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<void> {
  const bare = await oneRowPerCommit({ databaseUrl, connections: Math.max(...connectionCounts), text });
  console.log(`One 1 KB trace per request, ${rounds} rounds of ${seconds} s, medians`);
  console.log("  connections   through the gateway            one row per commit             ratio");
  for (const connections of connectionCounts) {
    const measured: { gateway: Measurement; yardstick: Measurement }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      measured.push({
        yardstick: await measureClosedLoop({ clients: connections, seconds, once: bare.insertOne }),
        gateway: await measureIngest(standalone, connections, seconds),
      });
    }
    const gateway = measured.map((round) => round.gateway);
    const yardstick = measured.map((round) => round.yardstick);
    const ratio = median(measured.map((round) => round.gateway.perSecond / round.yardstick.perSecond));
    console.log(
      `  ${String(connections).padStart(11)}   ${describe(gateway)}   ${describe(yardstick)}   ${ratio.toFixed(2)}`,
    );
  }
  console.log(`  memory under load   ${(await standalone.memoryMb()).toFixed(0)} MB (Node process)\n`);
  await bare.close();
}

async function measureIngest(standalone: Standalone, connections: number, seconds: number): Promise<Measurement> {
  const opened = await Promise.all(
    Array.from({ length: connections }, () =>
      openHttpConnection(standalone.address, {
        "x-api-key": standalone.apiKey,
        "content-type": "application/json",
      }),
    ),
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
        const status = await opened[client]?.post("/api/v1/ingest/traces", JSON.stringify(trace));
        if (status !== 201) throw new Error(`The gateway answered ${status}.`);
      },
    });
  } finally {
    for (const connection of opened) connection.close();
  }
}

function describe(rounds: readonly Measurement[]): string {
  const perSecond = median(rounds.map((round) => round.perSecond));
  const p50 = median(rounds.map((round) => round.p50Ms));
  const p99 = median(rounds.map((round) => round.p99Ms));
  return `${perSecond.toFixed(0).padStart(6)}/s p50 ${p50.toFixed(2)} p99 ${p99.toFixed(1)} ms`.padEnd(28);
}
