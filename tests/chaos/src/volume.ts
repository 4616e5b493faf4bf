import { execFile } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A file system of a fixed size, in memory. Needs root. */
export interface Volume {
  folder: string;
  /** Fills all its free space. */
  fill(): Promise<void>;
  /** Frees the space that `fill` took. */
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

/** Another process was writing too; the disk is full all the same. */
function ignoreFull(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOSPC") throw error;
}
