import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = path.join(import.meta.dirname, "build-dashboard.ts");
const build = (...args: string[]) => promisify(execFile)(process.execPath, [script, ...args]);

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), "touchstone-build-"));
});

afterEach(async () => {
  await rm(parent, { recursive: true, force: true });
});

test("several concurrent builds produce one complete dashboard, and leave nothing beside it", {
  timeout: 180_000,
}, async () => {
  const folder = path.join(parent, "dashboard");

  await Promise.all([build("--out", folder, "--brotli"), build("--out", folder, "--brotli")]);

  expect(await readdir(parent)).toEqual(["dashboard"]);
  const page = await readFile(path.join(folder, "index.html"), "utf8");
  const [, entry = ""] = /<script type="module" crossorigin src="\/(assets\/[^"]+\.js)"/.exec(page) ?? [];
  const code = await readFile(path.join(folder, entry), "utf8");
  expect(gunzipSync(await readFile(path.join(folder, `${entry}.gz`))).toString()).toBe(code);
  const names = await readdir(folder, { recursive: true });
  expect(brotliDecompressSync(await readFile(path.join(folder, `${entry}.br`))).toString()).toBe(code);
  expect(names.filter((name) => name.endsWith(".map"))).toEqual([]);
  // Nothing that the pages' policy would refuse.
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
});

test("an existing dashboard is left unchanged, and a folder that cannot be written is reported", async () => {
  await writeFile(path.join(parent, "file"), "");

  await build("--out", parent);
  await expect(build("--out", path.join(parent, "file/dashboard"))).rejects.toThrow("EEXIST: file already exists");
  await expect(build()).rejects.toThrow("Say where to: --out <folder>.");

  expect(await readdir(parent)).toEqual(["file"]);
});
