import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";

const forgottenAfterMs = 3_600_000;

/**
 * Creates a folder named after this process, below `parent`. First deletes those of processes that were killed before
 * they could do so, an hour after their last use.
 */
export async function makeTemporaryFolder(parent: string, { prefix }: { prefix: string }): Promise<string> {
  for (const name of (await readdir(parent)).filter((candidate) => candidate.startsWith(`${prefix}-`))) {
    const pid = Number(name.slice(prefix.length + 1).split("-")[0]);
    const folder = path.join(parent, name);
    const facts = await stat(folder).catch(() => null);
    if (facts === null || facts.uid !== process.getuid?.() || Date.now() - facts.mtimeMs < forgottenAfterMs) continue;
    if (pid > 0 && !isAlive(pid)) await rm(folder, { recursive: true, force: true });
  }
  return mkdtemp(path.join(parent, `${prefix}-${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
