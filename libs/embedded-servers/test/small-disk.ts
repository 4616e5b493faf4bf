import { execFile } from "node:child_process";
import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

/** A disk in memory of the size ("40m") for one test, or null where mounting is not allowed. */
export async function mountSmallDisk(
  size: string,
): Promise<{ folder: string; resize: (size: string) => Promise<void> } | null> {
  const parent = await temporaryFolder();
  await chmod(parent, 0o755);
  const folder = path.join(parent, "disk");
  await mkdir(folder);
  const mounted = await run("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "tmpfs", folder]).catch(() => null);
  if (mounted === null) return null;
  onTestFinished(async () => {
    await run("umount", [folder]);
  });
  return {
    folder,
    async resize(newSize) {
      await run("mount", ["-o", `remount,size=${newSize}`, folder]);
    },
  };
}
