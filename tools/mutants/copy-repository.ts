import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const repository = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/**
 * A copy of the working tree in which a file can be broken safely. Sources and each package's links are copied, the
 * installed libraries are shared.
 */
export async function copyRepository(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-mutants-"));
  const { stdout } = await run("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: repository,
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = stdout.split("\0").filter((file) => file !== "");
  for (const file of files) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await cp(path.join(repository, file), path.join(folder, file), { verbatimSymlinks: true }).catch((error) => {
      // A file that git tracks and that was deleted in the working tree is not part of it.
      if (error.code !== "ENOENT") throw error;
    });
  }
  const packages = files
    .filter((file) => file.endsWith("package.json") && file !== "package.json")
    .map((file) => path.dirname(file));
  for (const name of packages) {
    // Links inside are relative: a package of the workspace resolves to its copy, a library to the shared folder.
    await cp(path.join(repository, name, "node_modules"), path.join(folder, name, "node_modules"), {
      recursive: true,
      verbatimSymlinks: true,
    }).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  await symlink(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
