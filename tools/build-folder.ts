import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";

/**
 * Builds into a folder that does not exist yet; one that exists is complete and stays. It appears when it is complete: several
 * processes may build it at once, and a build that is ended in the middle leaves none.
 */
export async function buildFolder(folder: string, build: (temporary: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(path.dirname(folder), { recursive: true });
  const temporary = await mkdtemp(`${folder}.tmp-`);
  try {
    await build(temporary);
    await chmod(temporary, 0o755);
    await rename(temporary, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster, with the same sources.
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
