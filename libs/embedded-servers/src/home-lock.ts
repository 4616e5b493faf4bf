import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EmbeddedServerError } from "./embedded-server-error.ts";

/**
 * Ensures that only one process works on a folder. The lock is a kernel lock on an empty SQLite file: it disappears
 * with its holder, and unlike a pid file it is correct across reboots, reused ids and containers that share a volume.
 * Node offers no other way to take one. `touchstone.pid` is only for the message.
 *
 * @returns a function that releases the lock.
 */
export async function lockHome(folder: string, { name }: { name: string }): Promise<() => void> {
  const pidFile = path.join(folder, "touchstone.pid");
  const file = openLockFile(folder);
  try {
    file.exec("begin exclusive");
  } catch (error) {
    file.close();
    if (!isBusy(error)) throw notLockable(folder, error);
    const pid = (await readFile(pidFile, "utf8").catch(() => "")).trim();
    throw new EmbeddedServerError(
      "already_running",
      `Touchstone is already running on ${name} (process ${pid || "unknown"}).`,
      {
        hint: "Stop that process, or set SERVICE_HOME to another folder to run a second Touchstone.",
        cause: error,
      },
    );
  }
  // The listener also prevents garbage collection of the handle, which would release the lock.
  const release = () => {
    process.off("exit", release);
    if (file.isOpen) file.close();
  };
  process.once("exit", release);
  try {
    await writeFile(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Its presence also marks a folder as a home. */
export const lockFileName = "touchstone.lock";

function openLockFile(folder: string): DatabaseSync {
  try {
    return new DatabaseSync(path.join(folder, lockFileName), { timeout: 0 });
  } catch (error) {
    throw notLockable(folder, error);
  }
}

/** SQLite's code 5: another process, or another handle of this one, has the lock. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}

function notLockable(folder: string, cause: unknown): EmbeddedServerError {
  return new EmbeddedServerError("home_not_usable", `Touchstone cannot lock ${path.join(folder, lockFileName)}.`, {
    hint: "Set SERVICE_HOME to a folder that this user can write, on a disk that supports file locks.",
    cause,
  });
}
