/**
 * `npm run packages-check`: packs the packages, installs the archives into an empty folder, and runs the samples of their READMEs
 * against an installation, on each Node that users may have.
 */
import { execFile } from "node:child_process";
import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { startStandaloneProcess } from "../../tests/integration/src/standalone-process.ts";
import { repositoryRoot } from "../repository-files.ts";
import { buildPackage, packPackage, publishedPackages } from "./build.ts";
import {
  sampleDeadlineMs as deadlineMs,
  runSamples,
  sampleOptions,
  startSampleJudge,
  writeSamples,
} from "./samples.ts";

const run = promisify(execFile);
/** The oldest Node that the packages support, and the one of this repository. */
const majors = [20, 24];
const jestVersion = "30.5.2";

const folder = await mkdtemp(path.join(tmpdir(), "touchstone-packages-"));
const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  await check();
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

async function check(): Promise<void> {
  const nodes = await findNodes();
  const archives: string[] = [];
  for (const name of publishedPackages) archives.push(await packPackage(await buildPackage(name)));
  await writeFile(path.join(folder, "package.json"), '{ "type": "module", "private": true }');
  await install(archives);
  await writeSamples(folder);
  await checkTypes();
  // Not before: the types above are those of a user without Jest.
  await install(["--save-dev", `jest@${jestVersion}`]);

  const judge = await startSampleJudge();
  cleanups.push(() => judge.stop());
  const home = path.join(folder, "home");
  const standalone = await startStandaloneProcess({ home, settings: judge.settings });
  cleanups.push(() => standalone.interrupt());
  for (const node of nodes) {
    const options = sampleOptions(node, folder, standalone);
    const { stdout: version } = await run(node, ["--version"]);
    await runSamples(node, options);
    await checkJest(node, options);
    console.log(`The samples run on Node ${version.trim()}.`);
  }
}

async function install(packages: readonly string[]): Promise<void> {
  await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], {
    cwd: folder,
    timeout: deadlineMs,
    env: { ...process.env, npm_config_cache: path.join(repositoryRoot, ".cache/npm-packages") },
  });
}

/** The sample for Jest passes; beside it, a file that asks for more than the judge gives fails. */
async function checkJest(node: string, options: { cwd: string; timeout: number; env: Record<string, string> }) {
  const jest = ["--experimental-vm-modules", path.join(folder, "node_modules/jest/bin/jest.js"), "--no-watchman"];
  const { stderr, stdout } = await run(node, jest, options).catch((failed) => failed);
  const told = stderr + stdout;
  const expected = [
    "Tests:       2 failed, 2 passed, 4 total",
    "PASS ./capitals.test.js",
    "The answer is rated 9, 10 or more expected.",
    "Touchstone: 2 results, average rating 9.00.",
  ];
  for (const text of expected) {
    if (!told.includes(text)) throw new Error(`The sample for Jest did not print "${text}" but:\n${told}`);
  }
}

/** The declarations suit a project that checks those of its packages. */
async function checkTypes(): Promise<void> {
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const types = ["--typeRoots", path.join(repositoryRoot, "node_modules/@types")];
  await run("tsc", [...options, ...types, "evaluate-typed.ts"], { cwd: folder, timeout: deadlineMs }).catch((error) => {
    throw new Error(`The types of the packages:\n${error.stdout}`);
  });
}

/** A Node of each wanted version on PATH. */
async function findNodes(): Promise<string[]> {
  const found = new Map<number, string>();
  for (const place of (process.env.PATH ?? "").split(path.delimiter)) {
    const node = path.join(place, "node");
    const exists = await access(node).then(
      () => true,
      () => false,
    );
    if (!exists) continue;
    const { stdout } = await run(node, ["--version"]);
    const major = Number(/^v(\d+)/.exec(stdout)?.[1]);
    if (!found.has(major)) found.set(major, node);
  }
  return majors.map((major) => {
    const node = found.get(major);
    if (node === undefined) throw new Error(`Put a Node ${major} on PATH: the packages support it.`);
    return node;
  });
}
