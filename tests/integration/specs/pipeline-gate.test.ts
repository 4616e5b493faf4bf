import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ciRun, ciVerdict, dataset } from "@touchstone/contracts";
import { findFreePort } from "@touchstone/testkit";
import { beforeEach, expect, test } from "vitest";
import { useJudged } from "../src/use-combined.ts";

/** The script for pipelines, against a whole system: only the judge's model is scripted. */
const script = path.resolve(import.meta.dirname, "../../../deploy/ci/gate.mjs");

let folder: string;

const { system, client } = useJudged(({ prompt }) => ({
  kind: "verdict",
  rating: prompt.includes("a good answer") ? 9 : 2,
  justification: "As it is.\n::error::not a command of the pipeline",
}));

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-gate-"));
  return () => rm(folder, { recursive: true, force: true });
});

async function createDataset(ci: object = {}, count = 12): Promise<string> {
  const questions = Array.from({ length: count }, (_, index) => ({ main_question: { query: `Question ${index}?` } }));
  const made = await client.expect({ status: 201, schema: dataset }, "POST", "/custom-agent-evaluations/datasets", {
    name: "Pipeline",
    questions,
    ci,
  });
  return made._id;
}

/** Writes the agent under test: `body` has the question as `query` and its number as `index`. */
async function writeAgent(body: string): Promise<string> {
  const file = path.join(folder, "agent.mjs");
  const reads = `let query = ""; for await (const chunk of process.stdin) query += chunk;
    const index = Number(process.env.TOUCHSTONE_QUESTION_INDEX);`;
  await writeFile(file, `${reads}\n${body}\n`);
  return `"${process.execPath}" "${file}"`;
}

interface Ended {
  code: number;
  log: string;
  summary: string;
  outputs: string;
  verdict: unknown;
}

async function runGate(settings: Record<string, string>): Promise<Ended> {
  const [summaryFile, outputFile, resultFile] = ["summary.md", "outputs.txt", "verdict.json"].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  const env = {
    PATH: process.env.PATH,
    TOUCHSTONE_URL: system.url,
    TOUCHSTONE_API_KEY: system.apiKey,
    TOUCHSTONE_RESULT_FILE: resultFile,
    GITHUB_STEP_SUMMARY: summaryFile,
    GITHUB_OUTPUT: outputFile,
    GITHUB_SHA: "c0ffee",
    GITHUB_REF: "refs/pull/7/merge",
    ...settings,
  };
  const { code, log } = await new Promise<Pick<Ended, "code" | "log">>((resolve) => {
    execFile(process.execPath, [script], { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), log: stdout + stderr }),
    );
  });
  const read = (file: string) => readFile(file, "utf8").catch(() => "");
  const verdict = await read(resultFile);
  return {
    code,
    log,
    summary: await read(summaryFile),
    outputs: await read(outputFile),
    verdict: verdict === "" ? null : JSON.parse(verdict),
  };
}

test("a pipeline whose agent answers well continues, and its run contains the commit", async () => {
  const command = await writeAgent('process.stdout.write(query + " a good answer\\n");');
  const ended = await runGate({ TOUCHSTONE_DATASET_ID: await createDataset(), TOUCHSTONE_COMMAND: command });

  expect(ended.log).toContain("Gate: pass. 12 of 12 questions passed (100 %, 80 % needed).");
  expect(ended.code).toBe(0);
  const { run_id } = ciVerdict.parse(ended.verdict);
  expect(ended.outputs).toBe(`gate=pass\npass-rate=1\nrun-id=${run_id}\n`);
  expect(ended.summary).toContain("### Gate: pass.");
  const run = await client.expect({ status: 200, schema: ciRun }, "GET", `/ingest/ci-runs/${run_id}`);
  expect(run).toMatchObject({
    status: "completed",
    gate: "pass",
    git_context: { commit_sha: "c0ffee", pr_number: "7" },
    results_submitted: 12,
  });
});

test("a pipeline whose agent answers badly, fails or hangs is stopped and prints the violations", async () => {
  const command = await writeAgent(`
    if (index === 1) { process.stderr.write("no memory left"); process.exit(3); }
    if (index === 2) await new Promise(() => setInterval(() => undefined, 1000));
    process.stdout.write(index === 0 ? "a bad answer" : "a good answer");`);
  const ended = await runGate({
    TOUCHSTONE_DATASET_ID: await createDataset({}, 4),
    TOUCHSTONE_COMMAND: command,
    TOUCHSTONE_COMMAND_TIMEOUT_SECONDS: "1",
  });

  expect(ended.code).toBe(1);
  expect(ended.log).toContain("Gate: fail. 1 of 4 questions passed (25 %, 80 % needed).");
  expect(ended.log).toContain("Violation: question 0, rating: 2, 5 needed.");
  expect(ended.log).toContain("The command ended with code 3. no memory left");
  expect(ended.log).toContain("The command took longer than 1 s.");
  expect(ended.log.split("\n").filter((line) => line.trimStart().startsWith("::"))).toEqual([]);
  expect(ended.outputs).toContain("gate=fail\n");
  expect(ended.summary).toContain("| 0 | Question 0? | rating | 2 | 5 |");
});

test("a pipeline that fails fast runs no more questions than necessary", async () => {
  const command = await writeAgent('process.stdout.write("a bad answer");');
  const ended = await runGate({
    TOUCHSTONE_DATASET_ID: await createDataset({ failFast: true }),
    TOUCHSTONE_COMMAND: command,
  });
  expect(ended.code).toBe(1);
  expect(ended.log).toContain("The pass rate can no longer be reached: the rest is not run.");
  expect(ciVerdict.parse(ended.verdict)).toMatchObject({ gate: "fail", results_submitted: 10, total_questions: 12 });
});

test("questions without an answer in the file of answers fail", async () => {
  const file = path.join(folder, "answers.json");
  const answers = [0, 1].map((question_index) => ({ question_index, output: { text: "a good answer" } }));
  await writeFile(file, JSON.stringify(answers));
  const datasetId = await createDataset({ exposeTestInputs: false }, 4);
  const settings = { TOUCHSTONE_DATASET_ID: datasetId, TOUCHSTONE_OUTPUTS_FILE: file };

  const failed = await runGate(settings);
  expect(failed.code).toBe(1);
  expect(failed.log).toContain("Violation: question 3 has no result.");
  expect((await runGate({ ...settings, TOUCHSTONE_PASS_RATE_THRESHOLD: "0.5" })).code).toBe(0);
});

test("a configuration is evaluated by the command line, whose exit code and verdict are the pipeline's", async () => {
  const cli = path.resolve(import.meta.dirname, "../../../packages/cli/src/main.ts");
  const config = path.join(folder, "touchstone.yaml");
  const evaluateWith = async (task: string) => {
    const datasetId = await createDataset({}, 2);
    await writeFile(config, JSON.stringify({ dataset: datasetId, task, gate: { failUnder: 7 } }));
    return runGate({ TOUCHSTONE_CONFIG: config, TOUCHSTONE_CLI: `"${process.execPath}" "${cli}"` });
  };
  const passed = await evaluateWith("echo a good answer");
  const failed = await evaluateWith("echo a bad answer");

  expect(passed.code, passed.log).toBe(0);
  const { run } = passed.verdict as { run: { id: string } };
  expect(passed.outputs).toBe(`gate=pass\naverage-rating=9\nrun-id=${run.id}\n`);
  expect(passed.summary).toContain("### Gate: pass. Average rating 9");
  expect(failed.code, failed.log).toBe(1);
  expect(failed.log).toContain("Check fail-under: The average rating 2");
  await writeFile(
    path.join(folder, "agent.mjs"),
    'const { log } = console; log("loaded"); export function run() { log("asked"); process.stdout.write("{}\\n"); return "a good answer"; }',
  );
  const printing = await evaluateWith("./agent.mjs#run");
  expect(printing.code, printing.log).toBe(0);
  expect(printing.log).toContain("touchstone: asked");
  expect(printing.outputs).toContain("gate=pass");
  const wrong = await runGate({ TOUCHSTONE_CONFIG: "none.yaml", TOUCHSTONE_CLI: `"${process.execPath}" "${cli}"` });
  expect(wrong.log).toContain("touchstone: none.yaml cannot be read: ENOENT.");
  expect(wrong.code).toBe(2);
});

test("a gate that cannot be reached prints the reason and exits with a separate code", async () => {
  const away = `http://127.0.0.1:${await findFreePort()}`;
  const datasetId = await createDataset({}, 1);
  const disabled = await createDataset({ enabled: false }, 1);
  const settings = { TOUCHSTONE_DATASET_ID: datasetId, TOUCHSTONE_COMMAND: "echo a good answer" };
  const cases: [Record<string, string>, string][] = [
    [{ TOUCHSTONE_URL: away }, `Touchstone cannot be reached at ${away}/api/v1: ECONNREFUSED.`],
    [{ TOUCHSTONE_API_KEY: "wrong" }, "Check TOUCHSTONE_API_KEY."],
    [{ TOUCHSTONE_DATASET_ID: disabled }, "CI/CD is not enabled for this dataset"],
    [{ TOUCHSTONE_DATASET_ID: "none" }, "was answered 404: Dataset not found"],
    [{ TOUCHSTONE_DATASET_ID: "", TOUCHSTONE_COMMAND: "" }, "TOUCHSTONE_DATASET_ID is not set. Set one of"],
    [{ TOUCHSTONE_PASS_RATE_THRESHOLD: "80" }, "TOUCHSTONE_PASS_RATE_THRESHOLD must be a number between 0 and 1."],
    [{ TOUCHSTONE_COMMAND: "", TOUCHSTONE_OUTPUTS_FILE: "/nowhere.json" }, "/nowhere.json cannot be read"],
  ];
  for (const [more, said] of cases) {
    const { code, log } = await runGate({ ...settings, ...more });
    expect(log).toContain(said);
    expect(log).not.toContain(system.apiKey);
    expect(code, log).toBe(2);
  }
});
