import { readdir } from "node:fs/promises";
import path from "node:path";

/** Folders that hold no source of ours. */
const skipped = new Set(["node_modules", ".git", ".cache", ".touchstone", "dist", "coverage"]);

/** The root of the repository. */
export const repositoryRoot = path.resolve(import.meta.dirname, "..");

/**
 * Every file of ours below `root`, sorted, with forward slashes and relative to it. Files git ignores by folder are left
 * out; a new file counts before it is added to git, so that a check never passes for being early.
 */
export async function repositoryFiles(root = repositoryRoot): Promise<string[]> {
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      if (skipped.has(entry.name)) continue;
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await walk(name);
      else if (entry.isFile()) found.push(name);
    }
  };
  await walk("");
  return found.sort();
}
