import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { repositoryRoot } from "../repository-files.ts";

const run = promisify(execFile);
const buildDeadlineMs = 120_000;

/** The packages that are published, in the order of their dependencies. */
export const publishedPackages = ["sdk", "cli"] as const;
type PublishedPackage = (typeof publishedPackages)[number];

/** A `package.json`, as far as it is read here. */
export interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  publishConfig?: Record<string, unknown>;
  [member: string]: unknown;
}

/**
 * Builds a package as it is published into a folder, by default of `.cache`: compiled code with declarations, and a manifest in which
 * versions take the place of what only pnpm understands. Returns the folder.
 */
export async function buildPackage(
  name: PublishedPackage,
  into = path.join(repositoryRoot, ".cache/packages"),
): Promise<string> {
  const source = path.join(repositoryRoot, "packages", name);
  const target = path.join(into, name);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  await run("tsc", ["-p", source, "--outDir", path.join(target, "dist")], { timeout: buildDeadlineMs });
  await cp(path.join(source, "README.md"), path.join(target, "README.md"));
  const manifest = JSON.parse(await readFile(path.join(source, "package.json"), "utf8")) as Manifest;
  await writeFile(path.join(target, "package.json"), JSON.stringify(await publish(manifest), null, 2));
  return target;
}

/** Packs a built package; returns the archive. */
export async function packPackage(folder: string): Promise<string> {
  const archives = path.dirname(folder);
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", archives], {
    cwd: folder,
    timeout: buildDeadlineMs,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return path.join(archives, filename);
}

/** The folders of all packages that the published ones depend on, with those that these depend on. */
export async function listDependencies(): Promise<string[]> {
  const found = new Set<string>();
  const visit = async (folder: string): Promise<void> => {
    const manifest = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as Manifest;
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      if (name.startsWith("@touchstone/")) continue;
      const dependency = await realpath(findPackage(name, folder));
      if (found.has(dependency)) continue;
      found.add(dependency);
      await visit(dependency);
    }
  };
  for (const name of publishedPackages) await visit(path.join(repositoryRoot, "packages", name));
  return [...found];
}

/** Looks for a package where a module of the folder would. */
function findPackage(name: string, folder: string): string {
  const candidate = path.join(folder, "node_modules", name);
  if (existsSync(candidate)) return candidate;
  if (folder === path.dirname(folder)) throw new Error(`The package ${name} is not installed.`);
  return findPackage(name, path.dirname(folder));
}

async function publish({ devDependencies: _none, publishConfig, ...manifest }: Manifest): Promise<Manifest> {
  const workspace = await readFile(path.join(repositoryRoot, "pnpm-workspace.yaml"), "utf8");
  const { catalog } = parse(workspace) as { catalog: Record<string, string> };
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies ?? {}).map(([name, version]) => [
      name,
      // The packages have one version together.
      version === "workspace:*" ? manifest.version : `^${catalog[name]}`,
    ]),
  );
  return { ...manifest, ...publishConfig, dependencies };
}
