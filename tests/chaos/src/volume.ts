import { execFile } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A file system of a fixed size, in memory. Needs root. */
export interface Volume {
  folder: string;
  /** Takes all its room. */
  fill(): Promise<void>;
  /** Gives back what `fill` took. */
  free(): Promise<void>;
  unmount(): Promise<void>;
}

export async function mountVolume(megabytes: number): Promise<Volume> {
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-volume-"));
  await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", folder]);
  const ballast = path.join(folder, "ballast");
  return {
    folder,
    async fill() {
      const { bavail, bsize } = await statfs(folder);
      await writeFile(ballast, Buffer.alloc(bavail * bsize)).catch(ignoreFull);
    },
    free: () => rm(ballast, { force: true }),
    async unmount() {
      await run("umount", ["--lazy", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Somebody else was writing too; it is full all the same. */
function ignoreFull(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOSPC") throw error;
}
