/**
 * Everything that CI runs, fastest failures first: `npm test`. With `-- --containers` the tests run on the official
 * PostgreSQL, NATS and Redis images. With `CI=true` a skipped test is a failure.
 */
import { type StdioOptions, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { findBrowser } from "../tests/browser/src/find-browser.ts";
import { makeMemoryFolder } from "./memory-folder.ts";

const root = path.dirname(import.meta.dirname);

interface Step {
  name: string;
  command: string;
  args: string[];
}

/** The import rules and the generated files are checked by tests: each costs half a minute, and is paid once. */
const checks: Step[] = [
  { name: "types", command: "tsc", args: ["-p", ".", "--checkers", "1"] },
  { name: "types of the dashboard", command: "tsc", args: ["-p", "apps/dashboard", "--checkers", "1"] },
  { name: "lint", command: "biome", args: ["check", "--error-on-warnings", "."] },
  { name: "unused code", command: "node", args: ["tools/node_modules/knip/bin/knip.js"] },
  { name: "coverage of the specification", command: "node", args: ["tools/spec-coverage/check.ts"] },
];

/** One run of vitest and its report. */
interface TestRun {
  step: Step;
  report: string;
}

const browser = findBrowser();
const testRuns = [
  planTests("tests", ["unit", "infra", "chaos"]),
  ...(browser.path === null ? [] : [planTests("tests in a browser", ["browser"])]),
];

/** The relevant counts of vitest's JSON report. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    /** Milliseconds since 1970. */
    startTime: number;
    endTime: number;
    /** The error of the file itself: an import or a hook that failed. Empty otherwise. */
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] | null }[];
  }[];
}

const args = process.argv.slice(2);
const unknown = args.filter((argument) => argument !== "--containers");
if (unknown.length > 0) {
  console.error(`npm test does not know ${unknown.join(" ")}; it takes --containers.`);
  process.exit(1);
}
if (args.includes("--containers")) process.env.TOUCHSTONE_TEST_CONTAINERS = "1";

const memoryFolder = process.env.TMPDIR === undefined ? makeMemoryFolder() : null;
if (memoryFolder !== null) process.env.TMPDIR = memoryFolder;
mkdirSync(path.join(root, ".cache"), { recursive: true });
// Two at a time, each on one processor: a compiler with several threads would infer the types of the contracts in each.
const waiting = [...checks];
await Promise.all(
  [1, 2].map(async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      if (await succeeds(check, "at its end")) continue;
      console.error(`\n${check.name}: failed (${[check.command, ...check.args].join(" ")})`);
      process.exit(1);
    }
  }),
);
let haveSucceeded = true;
for (const { step, report } of testRuns) {
  rmSync(report, { force: true });
  haveSucceeded = (await succeeds(step)) && haveSucceeded;
}
process.exit(summarise(haveSucceeded) ? 0 : 1);

function planTests(name: string, projects: readonly string[]): TestRun {
  const report = path.join(root, ".cache", `results-of-${projects.join("-")}.json`);
  const chosen = projects.flatMap((project) => ["--project", project]);
  return {
    step: {
      name,
      command: "vitest",
      args: ["run", ...chosen, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    },
    report,
  };
}

/** Runs a step. Its output appears as it comes, or at its end where another one runs beside it. */
async function succeeds(
  { name, command, args: commandArgs }: Step,
  shows: "as it comes" | "at its end" = "as it comes",
): Promise<boolean> {
  const startedMs = performance.now();
  if (shows === "as it comes") console.log(`\n--- ${name}`);
  let output = "";
  const code = await new Promise<number>((resolve) => {
    const stdio: StdioOptions = shows === "as it comes" ? "inherit" : ["ignore", "pipe", "pipe"];
    const child = spawn(command, commandArgs, { cwd: root, stdio });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString("utf8");
      });
    }
    child.once("error", (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  if (output !== "") console.log(`\n${output.trimEnd()}`);
  console.log(
    `--- ${name}: ${code === 0 ? "ok" : "FAILED"} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`,
  );
  return code === 0;
}

/** Prints the failures once more at the end, and the counts. With CI=true a skip is a failure. */
function summarise(testsSucceeded: boolean): boolean {
  let reports: Report[];
  try {
    reports = testRuns.map(({ report }) => JSON.parse(readFileSync(report, "utf8")) as Report);
  } catch {
    console.error("The test run left no report.");
    return false;
  }
  const skipped = reports
    .flatMap(({ testResults }) => testResults.flatMap(({ assertionResults }) => assertionResults))
    .filter(({ status }) => status === "skipped" || status === "pending" || status === "todo")
    .map(({ fullName }) => fullName);
  if (browser.reason !== null) skipped.push(`everything in a browser. ${browser.reason}`);
  for (const name of skipped) console.log(`skipped: ${name}`);
  const skipsFail = process.env.CI === "true" && skipped.length > 0;
  if (skipsFail) console.error("With CI=true a skipped test is a failure.");
  for (const failure of reports.flatMap(listFailures)) console.log(`\nfailed: ${failure}`);
  console.log(`\nThe slowest files:\n${listSlowest(reports, 15).join("\n")}`);
  const [passed, failed] = reports.reduce(
    ([passedSum, failedSum], { numPassedTests, numFailedTests }) => [
      passedSum + numPassedTests,
      failedSum + numFailedTests,
    ],
    [0, 0],
  );
  console.log(`\n${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  return testsSucceeded && !skipsFail;
}

/** The slowest files, in seconds. */
function listSlowest(reports: readonly Report[], count: number): string[] {
  return reports
    .flatMap(({ testResults }) => testResults)
    .map(({ name, startTime, endTime }) => ({ file: path.relative(root, name), seconds: (endTime - startTime) / 1000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, count)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
}

/** Each failure with its file, its test and the first lines of its message. */
function listFailures({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = path.relative(root, name);
    const failed = assertionResults.filter(({ status }) => status === "failed");
    const failures = failed.map(({ fullName, failureMessages }) => ({
      title: fullName,
      text: failureMessages?.[0] ?? "",
    }));
    if (message !== "" && failed.length === 0) failures.push({ title: "the file itself", text: message });
    return failures.map(({ title, text }) => `${file}: ${title}\n${text.split("\n").slice(0, 20).join("\n")}`);
  });
}
