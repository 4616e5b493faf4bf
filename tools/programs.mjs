// Where the bundles of the programs are. A bundle is one large file instead of two thousand modules: a program starts in a third of the
// processor time. Plain JavaScript, because the launcher runs on any Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/**
 * The folder with `standalone.js`, `gateway.js` and so on, built from the present sources: once for each version of them, in
 * about three seconds. Null if they cannot be built; then the sources themselves are run.
 */
export async function preparePrograms(root, node) {
  const folder = path.join(root, ".cache", "programs", hashSources(root));
  if (existsSync(folder)) return folder;
  const child = spawn(node, [path.join(root, "tools", "build-programs.ts"), "--out", folder], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("exit", resolve);
  });
  if (code === 0) return folder;
  console.warn("Warning: the programs cannot be bundled, which the lines above explain; they start more slowly.");
  return null;
}

/** Changes whenever a source of a program, an installed package or the build does. */
function hashSources(root) {
  const hash = createHash("sha256").update(root);
  for (const file of ["pnpm-lock.yaml", "tools/build-programs.ts"]) hash.update(readFileSync(path.join(root, file)));
  for (const group of ["apps", "libs", "services"]) {
    for (const name of readdirSync(path.join(root, group)).sort()) {
      const sources = path.join(root, group, name, "src");
      if (name === "dashboard" || !existsSync(sources)) continue;
      for (const file of readdirSync(sources, { recursive: true }).sort()) {
        const { size, mtimeMs } = statSync(path.join(sources, file));
        hash.update(`${group}/${name}/${file} ${size} ${mtimeMs}\n`);
      }
    }
  }
  return hash.digest("hex").slice(0, 20);
}
