import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, test } from "vitest";
import { type CombinedSystem, startCombined } from "../../tests/integration/src/start-combined.ts";
import { buildPackage, listDependencies, packPackage, publishedPackages } from "./build.ts";
import { runSamples, sampleOptions, startSampleJudge, writeSamples } from "./samples.ts";

/** The quick part of `npm run packages-check`: no registry is asked, and only the Node of this repository runs the samples. */
const run = promisify(execFile);
const installDeadlineMs = 180_000;

let folder: string;
let judge: Awaited<ReturnType<typeof startSampleJudge>>;
let system: CombinedSystem;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-installed-"));
  judge = await startSampleJudge();
  system = await startCombined({ settings: judge.settings });
});

afterAll(async () => {
  await system?.stop();
  await judge?.stop();
  await rm(folder, { recursive: true, force: true });
});

test("the packed SDK and command line are installed in an empty folder, and the samples of their READMEs run", async () => {
  const built = path.join(folder, "built");
  const archives: string[] = [];
  for (const name of publishedPackages) archives.push(await packPackage(await buildPackage(name, built)));
  const project = path.join(folder, "project");
  await mkdir(project);
  await writeFile(path.join(project, "package.json"), '{ "type": "module", "private": true }');

  const offline = ["--offline", "--install-links", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...offline, ...archives, ...(await listDependencies())], {
    cwd: project,
    timeout: installDeadlineMs,
    env: { ...process.env, npm_config_cache: path.join(folder, "cache") },
  });
  await writeSamples(project);

  await runSamples(process.execPath, sampleOptions(process.execPath, project, system));
});
