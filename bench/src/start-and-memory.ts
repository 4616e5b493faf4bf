import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startStandalone } from "./standalone.ts";

/** Start times on an empty and on a used folder, and the memory of the idle process. */
export async function benchStart(): Promise<void> {
  const home = await mkdtemp(path.join(tmpdir(), "touchstone-bench-"));
  try {
    const first = await startStandalone({ home });
    await first.stop();
    const again = await startStandalone({ home });
    const idleMb = await again.memoryMb();
    await again.stop();
    console.log("Start, PostgreSQL and nats-server included");
    console.log(`  empty folder   ${(first.startMs / 1000).toFixed(2)} s`);
    console.log(`  used folder    ${(again.startMs / 1000).toFixed(2)} s`);
    console.log(`  idle memory    ${idleMb.toFixed(0)} MB (Node process)\n`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
