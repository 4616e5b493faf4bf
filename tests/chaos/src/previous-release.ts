import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Installation, ServiceSlot } from "./installation.ts";

const repository = path.resolve(import.meta.dirname, "../../..");
const archive = path.resolve(import.meta.dirname, "../fixtures/previous-release.tar.gz");

/** The code of the previous release, as a folder that services are started from. */
export interface PreviousRelease {
  folder: string;
  /** Files of a service's migrations, in order. */
  listMigrations(service: string): Promise<string[]>;
  remove(): Promise<void>;
}

/**
 * Unpacks it into a temporary folder. It resolves its own packages there, and its dependencies among the installed
 * ones.
 */
export async function unpackPreviousRelease(): Promise<PreviousRelease> {
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-previous-release-"));
  await promisify(execFile)("tar", ["-xzf", archive, "-C", folder]);
  await symlink(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
  for (const group of ["libs", "services"]) {
    for (const name of await readdir(path.join(folder, group))) {
      const installed = path.join(group, name, "node_modules");
      // Its links are relative, so a copy uses the packages beside it.
      await cp(path.join(repository, installed), path.join(folder, installed), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }
  // A package that its services depended on may be a dependency of a library only by now.
  await symlink(path.join(folder, "libs/service-kit/node_modules"), path.join(folder, "services/node_modules"));
  return {
    folder,
    listMigrations: (service) => listMigrations(folder, service),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The files of a service's migrations in a folder of code, in order. */
export async function listMigrations(folder: string, service: string): Promise<string[]> {
  const names = await readdir(path.join(folder, "services", service, "migrations"));
  return names.filter((name) => name.endsWith(".sql")).sort();
}

/** Replaces a process by one of the code in a repository: it stops, which must succeed, and the installation is ready again. */
export async function becomes(where: Installation, slot: ServiceSlot, repository: string): Promise<void> {
  expect(await slot.stop()).toBe(0);
  await slot.start(repository);
  await where.settle();
}
