import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { median } from "./closed-loop.ts";
import { type Standalone, startStandalone } from "./standalone.ts";

const killsMax = 10;
const writers = 8;
const underLoadMs = 500;

/** Start times on an empty folder, on a used one and after kill -9 under load, and the memory of the idle process. */
export async function benchStart(): Promise<void> {
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-bench-"));
  try {
    const first = await startStandalone({ home });
    await first.stop();
    let running = await startStandalone({ home });
    const idleMb = await running.memoryMb();
    const again = running.startMs;
    const recoveries: number[] = [];
    for (let kills = 0; kills < killsMax; kills += 1) {
      await killUnderLoad(running);
      running = await startStandalone({ home });
      recoveries.push(running.startMs);
    }
    await running.stop();
    const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
    console.log("Start until requests are served, PostgreSQL and nats-server included");
    console.log(`  empty folder          ${inSeconds(first.startMs)}`);
    console.log(`  used folder           ${inSeconds(again)}`);
    console.log(
      `  after kill -9 of the process under load, ${killsMax} times: median ${inSeconds(median(recoveries))}, worst ${inSeconds(Math.max(...recoveries))}`,
    );
    console.log(`  idle memory           ${idleMb.toFixed(0)} MB (Node process)\n`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Kills it in the middle of writing. Requests in flight fail, which is what is being provoked. */
async function killUnderLoad(running: Standalone): Promise<void> {
  let killed = false;
  const writing = Array.from({ length: writers }, async () => {
    while (!killed) {
      await fetch(`${running.address}/api/v1/ingest/traces`, {
        method: "POST",
        headers: { "x-api-key": running.apiKey, "content-type": "application/json" },
        body: '{"name":"bench-agent","input":"killed"}',
      })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
    }
  });
  await new Promise((resolve) => setTimeout(resolve, underLoadMs));
  await running.kill();
  killed = true;
  await Promise.all(writing);
}
