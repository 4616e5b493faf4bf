import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { repositoryRoot } from "./repository-files.ts";

const buildDeadlineMs = 45 * 60_000;

interface GoProgram {
  /** The folder of the module in the repository. */
  module: string;
  program: string;
  /** The name of the built file. */
  name: string;
  flags?: readonly string[];
}

export const hasGo = (): boolean => spawnSync("go", ["version"]).status === 0;

/** The path of a program that the module in a folder pins; it is built into `.cache` once for each version of the module. */
export function buildGoProgram({ module, program, name, flags = [] }: GoProgram): string {
  const folder = path.join(repositoryRoot, module);
  const hash = createHash("sha256");
  for (const file of readdirSync(folder)
    .filter((file) => file === "go.sum" || file.endsWith(".go"))
    .sort()) {
    hash.update(readFileSync(path.join(folder, file)));
  }
  const executable = path.join(repositoryRoot, ".cache", path.basename(module), hash.digest("hex").slice(0, 16), name);
  if (existsSync(executable)) return executable;
  console.log(`Building ${name}, once (several minutes) ...`);
  execFileSync("go", ["build", "-mod=readonly", ...flags, "-o", executable, program], {
    cwd: folder,
    stdio: "inherit",
    timeout: buildDeadlineMs,
  });
  return executable;
}
