/**
 * `npm run packages-check`: packs the packages, installs the archives into an empty folder, and runs the samples of their READMEs
 * against an installation, on each Node that users may have.
 */
import { execFile } from "node:child_process";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { startScriptedLlm } from "@touchstone/testkit/scripted-llm";
import { startStandaloneProcess } from "../../tests/integration/src/standalone-process.ts";
import { repositoryRoot } from "../repository-files.ts";
import { buildPackage, packPackage, publishedPackages } from "./build.ts";

const run = promisify(execFile);
const deadlineMs = 180_000;
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
  await writeSamples();
  await checkTypes();
  // Not before: the types above are those of a user without Jest.
  await install(["--save-dev", `jest@${jestVersion}`]);

  const llm = await startScriptedLlm();
  cleanups.push(() => llm.stop());
  llm.answerWith({ kind: "verdict", rating: 9, extra: { expected: "2", rationale: "It is." } });
  const home = path.join(folder, "home");
  const standalone = await startStandaloneProcess({
    home,
    settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted" },
  });
  cleanups.push(() => standalone.interrupt());
  const env = { TOUCHSTONE_URL: standalone.url, TOUCHSTONE_API_KEY: standalone.apiKey };
  for (const node of nodes) {
    // The command of a sample is run by the same Node.
    const options = {
      cwd: folder,
      timeout: deadlineMs,
      env: { ...env, PATH: `${path.dirname(node)}:${process.env.PATH}` },
    };
    const { stdout: version } = await run(node, ["--version"]);
    const evaluated = await run(node, ["evaluate.js"], options);
    if (!evaluated.stdout.includes(" 9 ")) throw new Error(`The sample of the SDK printed:\n${evaluated.stdout}`);
    const touchstone = path.join(folder, "node_modules/.bin/touchstone");
    await run(node, [touchstone, "doctor"], options);
    const { stdout } = await run(node, [touchstone, "eval"], options);
    if (!stdout.includes("Gate: passed.")) throw new Error(`The sample of the command line printed:\n${stdout}`);
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

/** The samples of the READMEs, and the agent and the cases that they name. */
async function writeSamples(): Promise<void> {
  const sample = async (name: string, language: string, index = 0): Promise<string> => {
    const page = await readFile(path.join(repositoryRoot, "packages", name, "README.md"), "utf8");
    const codes = page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"));
    const code = [...codes][index]?.[1];
    if (code === undefined) throw new Error(`The README of packages/${name} has no sample in ${language}.`);
    return code;
  };
  const jestTest = await sample("sdk", "js", 2);
  const files = {
    "jest.config.js": await sample("sdk", "js", 1),
    "capitals.test.js": jestTest,
    "strict.test.js": jestTest.replace("toBeRated(7),", 'toBeRated(10), subject: { displayName: "strict" },'),
    "evaluate.js": await sample("sdk", "js"),
    "evaluate-typed.ts": await sample("sdk", "js"),
    "touchstone.yaml": await sample("cli", "yaml"),
    "agent.js": "export const agent = (query) => query.toUpperCase();",
    "agent.d.ts": "export const agent: (query: string) => string;",
    "agent.mjs": "for await (const chunk of process.stdin) process.stdout.write(chunk);",
    "cases.jsonl": '{ "query": "What is the capital of Peru?", "expected": "Lima" }\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
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
