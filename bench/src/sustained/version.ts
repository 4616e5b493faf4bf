import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, "../../..");
const versions = path.join(repository, ".cache", "bench", "versions");

/** A copy of the code that can be started. */
export interface Version {
  /** As printed. */
  name: string;
  folder: string;
}

export const thisVersion: Version = { name: "this version", folder: repository };

/**
 * The code of a commit in a folder under `.cache`, unpacked once. Its packages are installed by its first start.
 * Rejects with a sentence if the repository does not contain the commit.
 */
export async function checkOut(commit: string): Promise<Version> {
  const { stdout } = await run("git", ["rev-parse", "--verify", "--quiet", `${commit}^{commit}`], {
    cwd: repository,
  }).catch(() => {
    throw new Error(`This repository does not contain the commit ${commit}. A shallow clone contains only the newest.`);
  });
  const id = stdout.trim();
  const folder = path.join(versions, id.slice(0, 12));
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    await run("sh", ["-c", 'git archive "$0" | tar -x -C "$1"', id, unfinished], { cwd: repository });
    await rename(unfinished, folder);
  }
  return { name: id.slice(0, 8), folder };
}
