import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** A process and all its descendants, the process first. Zombies are left out. */
export async function listProcessTree(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => null);
    if (stat === null) continue;
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state !== "Z") parents.set(Number(name), Number(parent));
  }
  const tree = [root].filter((pid) => parents.has(pid));
  for (const pid of tree) {
    for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  }
  return tree;
}

/**
 * Sends a signal to a process and all its descendants. The root is stopped first, so that it starts nothing meanwhile.
 */
export async function signalTree(root: number, signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void> {
  if (signal === "SIGCONT") {
    for (const pid of (await listProcessTree(root)).reverse()) send(pid, signal);
    return;
  }
  send(root, "SIGSTOP");
  const tree = await listProcessTree(root);
  for (const pid of tree) send(pid, signal);
  if (signal === "SIGKILL") await waitUntilGone(tree);
}

async function waitUntilGone(pids: readonly number[]): Promise<void> {
  const isThere = async (pid: number): Promise<boolean> => (await listProcessTree(pid)).length > 0;
  for (const pid of pids) while (await isThere(pid)) await sleep(5);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}

/** The resident memory of a process. */
export async function readResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
