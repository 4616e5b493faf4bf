import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Dashboard, openDashboard } from "../src/dashboard/open-dashboard.ts";

let root: string;
let homeFolder: string;
let outputs: string;
const said: string[] = [];

/** Builds the given result, or fails with the given error. */
const builder = `
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
const folder = process.argv[process.argv.indexOf("--out") + 1];
const source = readFileSync(new URL("../apps/dashboard/src/main.tsx", import.meta.url), "utf8");
if (source.startsWith("broken")) {
  console.error(source);
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
writeFileSync(folder + "/index.html", source);
writeFileSync(folder + "/environment.json", JSON.stringify(Object.keys(process.env)));
`;

beforeEach(async () => {
  said.length = 0;
  root = await mkdtemp(path.join(tmpdir(), "touchstone-checkout-"));
  homeFolder = path.join(root, "home");
  outputs = path.join(root, ".cache/dashboard");
  const files = {
    "apps/dashboard/index.html": "<!doctype html>",
    "apps/dashboard/package.json": "{}",
    "apps/dashboard/public/theme.js": "",
    "apps/dashboard/src/main.tsx": "first",
    "apps/dashboard/src/api/schema.gen.d.ts": "export {}",
    "apps/dashboard/tsconfig.json": "{}",
    "apps/dashboard/vite.config.ts": "",
    "pnpm-lock.yaml": "",
    "tsconfig.json": "{}",
    "tools/build-dashboard.ts": builder,
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, name)), { recursive: true });
  await writeFile(path.join(root, name), text);
}

async function open(options: { isWanted?: boolean; givenFolder?: string } = {}): Promise<Dashboard> {
  const { isWanted = true, givenFolder = null } = options;
  const onProgress = (message: string) => void said.push(message);
  const dashboard = await openDashboard({ isWanted, givenFolder, homeFolder, root, onProgress });
  return dashboard as Dashboard;
}

const pageOf = ({ folder }: Dashboard) => readFile(path.join(folder, "index.html"), "utf8");

test("the first start builds the dashboard, the next one finds it", async () => {
  const first = await open();
  expect(first.building).not.toBeNull();
  await first.building;
  const second = await open();

  expect([second.folder, second.building, await pageOf(second)]).toEqual([first.folder, null, "first"]);
  expect(said).toEqual(["Building the dashboard."]);
});

test("a changed source, lock file or builder is another dashboard; changed types alone are not", async () => {
  const before = await open();
  await before.building;
  await write("apps/dashboard/src/api/schema.gen.d.ts", "export type A = 1");
  expect((await open()).folder).toBe(before.folder);
  const folders = new Set([before.folder]);
  for (const name of [
    "apps/dashboard/src/main.tsx",
    "apps/dashboard/public/theme.js",
    "pnpm-lock.yaml",
    "tools/build-dashboard.ts",
  ]) {
    await write(name, name === "tools/build-dashboard.ts" ? `${builder}\n` : "changed");
    const after = await open();
    folders.add(after.folder);
    await after.stop();
  }

  expect(folders.size).toBe(5);
});

test("the dashboard of before an upgrade is kept, and older ones and abandoned builds are removed", async () => {
  const names: string[] = [];
  for (const [age, source] of ["oldest", "older", "newest"].entries()) {
    await write("apps/dashboard/src/main.tsx", source);
    const dashboard = await open();
    await dashboard.building;
    names.push(path.basename(dashboard.folder));
    const time = new Date(Date.now() - (3 - age) * 3_600_000);
    if (source !== "newest") await utimes(dashboard.folder, time, time);
    const abandoned = `${dashboard.folder}.tmp-${source}`;
    await mkdir(abandoned);
    await utimes(abandoned, time, time);
  }
  await write("apps/dashboard/src/main.tsx", "now");
  const now = await open();
  await now.building;

  expect((await readdir(outputs)).toSorted()).toEqual([path.basename(now.folder), names[2]].toSorted());
});

test("a build that fails says why, leaves nothing, and is tried again by the next start", async () => {
  await write("apps/dashboard/src/main.tsx", "broken: no such import");
  const failed = await open();

  await expect(failed.building).rejects.toThrow("broken: no such import");
  expect(await readdir(outputs)).toEqual([]);
  expect((await open()).building).not.toBeNull();
});

test("in a checkout that cannot be written the dashboard is kept in the home folder", async () => {
  await write(".cache", "no folder");
  const dashboard = await open();
  await dashboard.building;

  expect(path.dirname(dashboard.folder)).toBe(path.join(homeFolder, "dashboard"));
  expect(await pageOf(dashboard)).toBe("first");
  expect(said).toEqual([`Building the dashboard into ${homeFolder}/dashboard, because ${outputs} cannot be written.`]);
  expect((await open()).building).toBeNull();
});

test("where sources are missing the start continues, and the reason is reported", async () => {
  await rm(path.join(root, "apps"), { recursive: true });
  const dashboard = await open();

  await expect(dashboard.building).rejects.toThrow("ENOENT");
});

test("a stop ends a build that is at work", async () => {
  await write("tools/build-dashboard.ts", "setInterval(() => {}, 1000);");
  const dashboard = await open();

  await dashboard.stop();

  await expect(dashboard.building).rejects.toThrow();
});

test("nothing of the operator's environment reaches a build", async () => {
  process.env.OPENAI_API_KEY = "sk-canary";
  try {
    const dashboard = await open();
    await dashboard.building;
    const names = JSON.parse(await readFile(path.join(dashboard.folder, "environment.json"), "utf8")) as string[];
    expect(names.filter((name) => !["PATH", "NODE_COMPILE_CACHE"].includes(name))).toEqual([]);
  } finally {
    delete process.env.OPENAI_API_KEY;
  }
});

test("switched off there is none; a folder of the operator's is taken as it is", async () => {
  expect(await open({ isWanted: false })).toBeNull();
  expect(await open({ givenFolder: "/srv/dashboard" })).toMatchObject({ folder: "/srv/dashboard", building: null });
  expect(said).toEqual([]);
});
