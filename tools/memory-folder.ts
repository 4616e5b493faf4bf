import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import path from "node:path";

const shared = "/dev/shm";
const prefix = "touchstone-tests-";
/** A whole run has up to 1 GB in it at a time. */
const roomBytes = 6e9;
/** What the servers and the browser need besides. */
const leftBytes = 6e9;

/**
 * Makes a folder in memory for the temporary files of this process and its children, which is deleted when it ends.
 * Null where the system has none or little memory. Tests create and delete files by the ten thousand, and on a
 * disk that costs a fifth of their time.
 */
export function makeMemoryFolder(): string | null {
  if (!hasRoom()) return null;
  for (const name of readdirSync(shared)) if (isLeftOver(name)) remove(path.join(shared, name));
  const folder = mkdtempSync(path.join(shared, `${prefix}${process.pid}-`));
  // Like /tmp: tests run programs under other accounts.
  chmodSync(folder, 0o1777);
  process.once("exit", () => remove(folder));
  return folder;
}

function hasRoom(): boolean {
  try {
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .findLast(([, at]) => at === shared);
    if (mount?.[2] !== "tmpfs" || mount[3]?.split(",").includes("noexec") !== false) return false;
    const { bavail, bsize } = statfsSync(shared);
    return bavail * bsize >= roomBytes && freemem() >= roomBytes + leftBytes;
  } catch {
    return false;
  }
}

/** A run that was ended by a signal could not delete its folder. */
function isLeftOver(name: string): boolean {
  if (!name.startsWith(prefix)) return false;
  try {
    process.kill(Number.parseInt(name.slice(prefix.length), 10), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // It is another user's, whose next run deletes it, or a process that is ending still writes in it.
  }
}
