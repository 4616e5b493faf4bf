import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { listProcessTree } from "../../../tests/chaos/src/process-tree.ts";

/** Milliseconds of CPU by part of a standalone: all processes, including those that ended. */
export interface CpuMs {
  node: number;
  postgres: number;
  nats: number;
}

export const sumOf = (cpu: CpuMs): number => cpu.node + cpu.postgres + cpu.nats;

/** The CPU time so far of a process and all its descendants, and the resident memory of those that run Node. */
export async function readTree(root: number): Promise<{ cpuMs: CpuMs; nodeMb: number }> {
  const cpuMs: CpuMs = { node: 0, postgres: 0, nats: 0 };
  let nodeMb = 0;
  for (const pid of await listProcessTree(root)) {
    const [stat, status] = await Promise.all(
      ["stat", "status"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
    );
    if (!stat || !status) continue;
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const part = name.startsWith("postgres") ? "postgres" : name.startsWith("nats") ? "nats" : "node";
    // User and system, of itself and of the children it has waited for, in ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    for (const field of fields.slice(11, 15)) cpuMs[part] += Number(field) * 10;
    if (part === "node") nodeMb += Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
  }
  return { cpuMs, nodeMb };
}

const windowMs = 3_000;
const quietWindows = 3;
const drainDeadlineMs = 300_000;

/** How much of a core a system without work uses, over some seconds. */
export async function measureIdleCores(root: number, seconds: number): Promise<number> {
  const before = sumOf((await readTree(root)).cpuMs);
  await sleep(seconds * 1_000);
  return (sumOf((await readTree(root)).cpuMs) - before) / (seconds * 1_000);
}

/**
 * Waits until the work done later is done too: indexing, merging, vacuuming, events. It is when three windows of 3 s in a row
 * used hardly more than an idle system. False if that took too long.
 */
export async function waitUntilDrained(root: number, idleCores: number): Promise<boolean> {
  const quietCores = idleCores * 1.5 + 0.05;
  const deadline = performance.now() + drainDeadlineMs;
  for (let quiet = 0; quiet < quietWindows; ) {
    if (performance.now() > deadline) return false;
    quiet = (await measureIdleCores(root, windowMs / 1_000)) <= quietCores ? quiet + 1 : 0;
  }
  return true;
}
