import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { median } from "./closed-loop.ts";
import { atMost, type Bar, printFigure, printHeading } from "./report.ts";
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
    const figure = (what: string, ms: number, bar?: Bar): void =>
      printFigure({ what, value: ms / 1000, unit: "s", ...(bar && { bar }) });
    printHeading("Start until requests are served, PostgreSQL and nats-server included");
    figure("on an empty folder", first.startMs);
    figure("on a used folder", again, atMost(3));
    figure(`after kill -9 under load, worst of ${killsMax}`, Math.max(...recoveries), atMost(5));
    figure("the same, median", median(recoveries));
    printFigure({ what: "standalone, idle: memory of the Node process", value: idleMb, unit: "MB", bar: atMost(300) });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Kills it in the middle of writes. Open requests fail, which is intended. */
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
