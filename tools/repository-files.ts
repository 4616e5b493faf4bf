import { readdir } from "node:fs/promises";
import path from "node:path";

/** Folders without our sources: installed packages, and dot folders of tools. */
const isSkipped = (folder: string): boolean =>
  folder === "node_modules" || (folder.startsWith(".") && folder !== ".github");

/** The root of the repository. */
export const repositoryRoot = path.resolve(import.meta.dirname, "..");

/**
 * Every file of ours below `root`, sorted, with forward slashes and relative to it. A new file counts before it is
 * added to git, so that a check never passes only because it ran earlier.
 */
export async function repositoryFiles(root = repositoryRoot): Promise<string[]> {
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      if (entry.isDirectory() && isSkipped(entry.name)) continue;
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await walk(name);
      else if (entry.isFile()) found.push(name);
    }
  };
  await walk("");
  return found.sort();
}
