import { execFile } from "node:child_process";
import { readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { repositoryRoot } from "../repository-files.ts";
import { buildPackage, type Manifest, packPackage, publishedPackages } from "./build.ts";

const run = promisify(execFile);
let folders: Record<(typeof publishedPackages)[number], string>;

beforeAll(async () => {
  const built: Partial<typeof folders> = {};
  for (const name of publishedPackages) {
    built[name] = await buildPackage(name);
    await symlink(path.join(repositoryRoot, "packages", name, "node_modules"), path.join(built[name], "node_modules"));
  }
  folders = built as typeof folders;
});

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as Manifest;

describe.for(publishedPackages)("the package %s", (name) => {
  test("depends on versions, and runs nothing when it is installed", async () => {
    const { dependencies = {}, devDependencies, scripts, publishConfig } = await readManifest(folders[name]);
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\^?\d+\.\d+\.\d+$/);
    expect({ devDependencies, scripts, publishConfig }).toEqual({});
  });

  test("has every file that its manifest names, and no source", async () => {
    const { exports = {}, bin = {} } = await readManifest(folders[name]);
    const named = JSON.stringify([exports, bin]).match(/\.\/dist\/[^"]+/g) ?? [];
    const files = await readdir(path.join(folders[name], "dist"), { recursive: true });
    expect(named.length).toBeGreaterThan(0);
    for (const file of named) expect(files).toContain(file.slice("./dist/".length));
    expect(files.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  test("is a small archive", async () => {
    const archive = await packPackage(folders[name]);
    expect((await readFile(archive)).length).toBeLessThan(100_000);
  });
});

test("the built SDK exports what its source exports", async () => {
  const built = await import(path.join(folders.sdk, "dist/index.js"));
  const source = await import("../../packages/sdk/src/index.ts");
  expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort());
});

test("the built command line prints its version", async () => {
  const { stdout } = await run(process.execPath, [path.join(folders.cli, "dist/main.js"), "--version"]);
  expect(stdout.trim()).toBe((await readManifest(folders.cli)).version);
});
