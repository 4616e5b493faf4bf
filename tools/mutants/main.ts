/**
 * `npm run mutants`: plants one bug at a time in a copy of the repository and requires that the named test fails. A
 * mutant that survives means that a promise is not tested. `-- <name>` runs the mutants whose name contains it.
 */
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { copyRepository } from "./copy-repository.ts";
import { type Mutant, mutants } from "./mutants.ts";

const runDeadlineMs = 240_000;

interface Outcome {
  killed: boolean;
  detail: string;
}

const wanted = process.argv[2] ?? "";
const chosen = mutants.filter((mutant) => mutant.name.includes(wanted));
if (chosen.length === 0) {
  console.error(`No mutant is named like "${wanted}".`);
  process.exit(1);
}
const copy = await copyRepository();
const survivors: string[] = [];
try {
  for (const mutant of chosen) {
    const { killed, detail } = await tryMutant(mutant);
    console.log(`${killed ? "killed  " : "SURVIVED"}  ${mutant.name}${killed ? "" : `: ${detail}`}`);
    if (!killed) survivors.push(mutant.name);
  }
} finally {
  await copy.remove();
}
console.log(`\n${chosen.length - survivors.length} of ${chosen.length} mutants killed`);
process.exit(survivors.length === 0 ? 0 : 1);

async function tryMutant(mutant: Mutant): Promise<Outcome> {
  const file = path.join(copy.folder, mutant.file);
  const original = await readFile(file, "utf8");
  if (original.split(mutant.find).length !== 2) {
    return { killed: false, detail: `its text does not occur exactly once in ${mutant.file}; mend the mutant` };
  }
  // A test that fails without the bug detects nothing.
  if ((await runTest(mutant)).killed)
    return { killed: false, detail: `"${mutant.test.name}" is red without the mutant` };
  await writeFile(
    file,
    original.replace(mutant.find, () => mutant.replace),
  );
  try {
    return await runTest(mutant);
  } finally {
    await writeFile(file, original);
  }
}

/** Runs the one test file and checks whether the named test failed, and not just any. */
async function runTest(mutant: Mutant): Promise<Outcome> {
  const report = path.join(copy.folder, ".mutant-report.json");
  await new Promise<void>((resolve) => {
    const child = spawn(
      "vitest",
      [
        "run",
        "--project",
        mutant.test.project,
        mutant.test.file,
        "--testNamePattern",
        mutant.test.name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"),
        "--reporter=json",
        `--outputFile.json=${report}`,
      ],
      { cwd: copy.folder, stdio: "ignore", timeout: runDeadlineMs, killSignal: "SIGKILL" },
    );
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const text = await readFile(report, "utf8").catch(() => null);
  if (!text) return { killed: false, detail: "the test run left no report" };
  await writeFile(report, "");
  const { testResults } = JSON.parse(text) as {
    testResults: { assertionResults: { title: string; status: string }[] }[];
  };
  const named = testResults
    .flatMap((result) => result.assertionResults)
    .filter((assertion) => assertion.title.includes(mutant.test.name));
  if (named.length === 0) return { killed: false, detail: `no test is named "${mutant.test.name}"` };
  return {
    killed: named.some((assertion) => assertion.status === "failed"),
    detail: `"${mutant.test.name}" stayed green`,
  };
}
