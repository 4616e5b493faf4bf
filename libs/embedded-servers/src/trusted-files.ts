import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { EmbeddedServerError } from "./embedded-server-error.ts";

/**
 * Throws unless everything below `folder`, and every folder from `root` down to it, belongs to root or to us and is
 * writable only by its owner. Called before each exec: a file that another user could have changed is never run.
 * Symbolic links are accepted where they point to a neighbour, as those of the shared libraries do.
 */
export async function assertTrusted(folder: string, { root }: { root: string }): Promise<void> {
  const relative = path.relative(root, folder);
  if (relative.startsWith("..") || path.isAbsolute(relative)) throw new Error(`${folder} is not below ${root}`);
  let step = root;
  await assertOwnedAndClosed(step);
  for (const part of relative.split(path.sep).filter((name) => name !== "")) {
    step = path.join(step, part);
    await assertOwnedAndClosed(step);
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) await assertOwnedAndClosed(path.join(entry.parentPath, entry.name));
}

async function assertOwnedAndClosed(file: string): Promise<void> {
  const { uid, mode } = await lstat(file);
  const isLink = (mode & 0o170_000) === 0o120_000;
  if (uid !== 0 && uid !== process.getuid?.()) {
    throw notTrusted(`${file} belongs to user ${uid}, so it is not run.`);
  }
  if (!isLink && (mode & 0o022) !== 0) {
    throw notTrusted(`${file} can be changed by other users (mode ${(mode & 0o7777).toString(8)}), so it is not run.`);
  }
}

function notTrusted(message: string): EmbeddedServerError {
  return new EmbeddedServerError("binary_not_trusted", message, {
    hint: "Find out who changed it, then delete the folder; the next start puts a clean copy there.",
  });
}
