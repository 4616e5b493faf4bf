import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import {
  dataset,
  resultList,
  runList,
  run as runSchema,
  scoreList,
  submitTraceReply,
  traceDetail,
} from "@touchstone/contracts";
import { evaluate, Touchstone } from "@touchstone/sdk";
import { buildTrace, findFreePort } from "@touchstone/testkit";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startResultProxy } from "../src/result-proxy.ts";
import { nodeEnvironment } from "../src/service-process.ts";
import { useJudged } from "../src/use-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

/** The SDK and the command line against a whole system: only the judge's model is scripted. */
const cli = path.resolve(import.meta.dirname, "../../../packages/cli/src/main.ts");

let client: Touchstone;
let folder: string;

const { system, client: api } = useJudged(({ prompt }) =>
  prompt.includes("no verdict")
    ? { kind: "status", status: 400 }
    : {
        kind: "verdict",
        rating: prompt.includes("a good answer") ? 9 : 2,
        extra: { expected: "2", rationale: "It is." },
      },
);

beforeAll(() => {
  client = new Touchstone({ url: system.url, apiKey: system.apiKey });
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-cli-"));
  return () => rm(folder, { recursive: true, force: true });
});

async function createDataset(name: string, count: number): Promise<string> {
  const questions = Array.from({ length: count }, (_, index) => ({ main_question: { query: `Question ${index}?` } }));
  const made = await api.expect({ status: 201, schema: dataset }, "POST", "/custom-agent-evaluations/datasets", {
    name,
    questions,
  });
  return made._id;
}

interface Ended {
  code: number | string;
  stdout: string;
  log: string;
}

/** Runs the command line in the folder of the test. */
const touchstone = (args: readonly string[], settings: Record<string, string> = {}): Promise<Ended> =>
  runNode([cli, ...args], settings);

function runNode(args: readonly string[], settings: Record<string, string> = {}): Promise<Ended> {
  const env = { ...nodeEnvironment, TOUCHSTONE_URL: system.url, TOUCHSTONE_API_KEY: system.apiKey, ...settings };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: folder, env, timeout: 120_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? -1), stdout, log: stdout + stderr }),
    );
    child.stdin?.end();
  });
}

async function writeConfig(config: object): Promise<void> {
  await writeFile(path.join(folder, "touchstone.yaml"), JSON.stringify(config));
}

const readRun = (runId: string) =>
  api.expect({ status: 200, schema: runSchema }, "GET", `/custom-agent-evaluations/runs/${runId}`);

describe("the SDK", () => {
  test("evaluates a dataset, links recorded traces, and gates the run", async () => {
    await createDataset("SDK", 7);
    const { trace_id } = await api.expect(
      { status: 201, schema: submitTraceReply },
      "POST",
      "/ingest/traces",
      buildTrace(),
    );
    const evaluateOnce = () =>
      evaluate({
        client,
        dataset: "SDK",
        runs: 2,
        subject: { displayName: "sdk-agent" },
        folder,
        scorers: { short: ({ output }) => output.length < 20 },
        task: ({ questionIndex }) =>
          questionIndex === 0 ? { output: "a good answer", traceId: trace_id } : "a good answer",
      });
    const run = await evaluateOnce();
    const again = await evaluateOnce();

    expect(run).toMatchObject({ averageRating: 9, resultCount: 14, ratedCount: 14, failedCount: 0 });
    const stored = await readRun(run.id);
    expect(stored.evaluationSubject).toEqual({ displayName: "sdk-agent" });
    expect(stored.results.filter(({ traceId }) => traceId === trace_id)).toHaveLength(2);
    const query = `/scores?runId=${run.id}&name=short`;
    const { scores } = await api.expect({ status: 200, schema: scoreList }, "GET", query);
    expect(scores.map(({ value, source }) => [value, source])).toEqual(Array(14).fill([true, "code"]));
    expect(scores.filter(({ caseId, traceId }) => caseId === "case-0" && traceId === trace_id)).toHaveLength(2);
    const results = [];
    for await (const result of again.results()) results.push(result);
    expect(results).toHaveLength(14);
    expect(await again.gate({ method: "paired", failUnder: 7 })).toMatchObject({
      baselineRunId: run.id,
      verdict: "passed",
      exitCode: 0,
    });
    expect(await again.gate({ failUnder: 9.5 })).toMatchObject({ verdict: "failed", exitCode: 1 });
    expect(await again.gate({ metric: "short", failUnder: 1 })).toMatchObject({
      verdict: "passed",
      gatedMetric: "short",
    });
    expect(run.url).toMatch(new RegExp(`^${system.url}/p/[0-9a-f-]+/runs/${run.id}$`));
  });

  test("links the OpenTelemetry trace of a task, as one of an evaluation", async () => {
    await createDataset("Traced", 2);
    const exporter = new OTLPTraceExporter({
      url: `${system.url}/api/v1/otel/v1/traces`,
      headers: { "x-api-key": system.apiKey },
    });
    const provider = new TracerProvider({
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 3_600_000 })],
    });
    trace.setGlobalTracerProvider(provider);
    onTestFinished(async () => {
      trace.disable();
      await provider.shutdown();
    });
    const run = await evaluate({ client, dataset: "Traced", folder, task: () => "a good answer" });

    const { results } = await readRun(run.id);
    for (const { traceId, input } of results) {
      const recorded = await api.expect({ status: 200, schema: traceDetail }, "GET", `/ingest/traces/${traceId}`);
      expect(recorded).toMatchObject({ trafficSource: "eval-run", input: input?.query, output: "a good answer" });
    }
    expect(new Set(results.map(({ traceId }) => traceId)).size).toBe(2);
  });

  test("makes a test of each case in Vitest; the workers add to one run, which ends after them", async () => {
    const datasetId = await createDataset("Vitest", 3);
    await symlink(path.resolve(import.meta.dirname, "../node_modules"), path.join(folder, "node_modules"));
    await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(
      path.join(folder, "vitest.config.js"),
      'export default { test: { globalSetup: "@touchstone/sdk/vitest-setup", watch: false } };',
    );
    const spec = `import { expect, test } from "@touchstone/sdk/vitest";
      test.touchstone("Vitest", ({ questionIndex }) => (questionIndex === 0 ? "a bad answer" : "a good answer"), {
        check: (result) => expect(result).toBeRated(7),
      });`;
    for (const file of ["one.test.ts", "two.test.ts"]) await writeFile(path.join(folder, file), spec);
    const vitest = path.join(folder, "node_modules/vitest/vitest.mjs");
    const ended = await runNode([vitest, "run"]);

    expect(ended.code, ended.log).toBe(1);
    expect(ended.log).toContain("The answer is rated 2, 7 or more expected.");
    expect(ended.log).toContain("Another test has answered this case in the same run");
    const list = await api.expect(
      { status: 200, schema: runList },
      "GET",
      `/custom-agent-evaluations/runs?datasetId=${datasetId}`,
    );
    expect(list.runs).toMatchObject([{ status: "completed", resultCount: 3, averageRating: 20 / 3 }]);
  });
});

describe("touchstone eval", () => {
  const good = "cat > /dev/null; echo a good answer";

  test("exits with 0 when the gate passes, and writes JSON and a JUnit report", async () => {
    const datasetId = await createDataset("Passing", 7);
    await writeConfig({ dataset: "Passing", task: good, gate: { failUnder: 7 } });
    const ended = await touchstone(["eval", "--json", "--junit", "report.xml"]);

    expect(ended.code, ended.log).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      run: { datasetId, averageRating: 9 },
      gate: { passed: true, exitCode: 0 },
    });
    const report = await readFile(path.join(folder, "report.xml"), "utf8");
    expect(report).toContain('tests="8" failures="0" errors="0" skipped="0"');
  });

  test("exits with 1 when the gate fails, and asks the cases of a file through a function", async () => {
    await writeFile(path.join(folder, "cases.csv"), 'query,expected_results\n"Rain, today?",Yes\nSnow?,No\n');
    await writeFile(
      path.join(folder, "agent.ts"),
      'export const answer = ({ query }: { query: string }) => query + " a bad one";',
    );
    await writeConfig({ dataset: "cases.csv", task: "./agent.ts#answer", gate: { failUnder: 7 } });
    const ended = await touchstone(["eval"]);

    expect(ended.code, ended.log).toBe(1);
    expect(ended.stdout).toContain("Gate: failed.");
    const [, runId = ""] = /Run (\S+):/.exec(ended.log) ?? [];
    const { results } = await readRun(runId);
    expect(results.map(({ output }) => output?.text)).toEqual(["Rain, today? a bad one", "Snow? a bad one"]);
  });

  test("exits with 3 when too much was skipped", async () => {
    await createDataset("Skipped", 2);
    await writeConfig({ dataset: "Skipped", task: "echo no verdict", gate: { failUnder: 7 } });
    const ended = await touchstone(["eval"]);

    expect(ended.code, ended.log).toBe(3);
    expect(ended.stdout).toContain("Gate: undecided. 2 of 2 results were skipped");
  });

  test("exits with 2 when it could not evaluate: it is never green then", async () => {
    await createDataset("Empty", 0);
    await writeFile(path.join(folder, "broken.ts"), 'import "./none.ts"; export const answer = () => "";');
    const cases: [object, string][] = [
      [{ dataset: "None", task: good }, 'The project has no dataset "None".'],
      [{ dataset: "Empty", task: good }, "The dataset has no cases."],
      [{ dataset: "Passing", task: "./broken.ts#answer" }, "broken.ts cannot be loaded: Cannot find module"],
      [{ dataset: "Passing", task: good, gates: {} }, "The file does not know gates"],
      [{ dataset: "Passing", task: good, gate: { failUnder: "7" } }, "gate.failUnder must be a number."],
      [{ dataset: "none.jsonl", task: good }, "none.jsonl cannot be read: ENOENT."],
    ];
    for (const [config, said] of cases) {
      await writeConfig(config);
      const { code, log } = await touchstone(["eval"]);
      expect(log).toContain(said);
      expect(code, log).toBe(2);
    }
    const missing = await touchstone(["eval", "other.yaml"]);
    expect(missing.log).toContain("other.yaml cannot be read: ENOENT.");
    expect(missing.code).toBe(2);
  });

  test("that is killed before it submits asks each case once: it resumes with the answers on the disk", async () => {
    await createDataset("Killed", 5);
    await writeConfig({ dataset: "Killed", task: 'echo "$(cat)" >> asked.txt; echo a good answer' });
    const journalled = async (): Promise<string> => {
      const runs = path.join(folder, ".touchstone/runs");
      const [file] = await readdir(runs);
      return readFile(path.join(runs, file ?? ""), "utf8");
    };
    const proxy = await startResultProxy(system.url, async () => {
      await waitUntil("all answers are on the disk", async () => (await journalled()).split("\n").length === 6);
      return false;
    });
    const killed = await new Promise<Ended>((resolve) => {
      const env = { ...nodeEnvironment, TOUCHSTONE_URL: proxy.url, TOUCHSTONE_API_KEY: system.apiKey };
      const child = execFile(process.execPath, [cli, "eval"], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: error?.signal ?? -1, stdout, log: stdout + stderr }),
      );
      proxy.onRefused(() => child.kill("SIGKILL"));
    });
    await proxy.stop();
    expect(killed.code).toBe("SIGKILL");
    const [, runId = ""] = /Run (\S+):/.exec(killed.log) ?? [];
    expect((await readRun(runId)).results).toEqual([]);

    const resumed = await touchstone(["eval", "--resume", runId, "--json"]);
    expect(resumed.code, resumed.log).toBe(0);
    const asked = (await readFile(path.join(folder, "asked.txt"), "utf8")).trim().split("\n");
    expect(asked.sort()).toEqual([0, 1, 2, 3, 4].map((index) => `Question ${index}?`));
    const { results } = await api.expect(
      { status: 200, schema: resultList },
      "GET",
      `/custom-agent-evaluations/runs/${runId}/results`,
    );
    expect(results.map(({ rating }) => rating)).toEqual([9, 9, 9, 9, 9]);
  });

  test("prints how to resume when it is interrupted", async () => {
    await createDataset("Interrupted", 1);
    await writeConfig({ dataset: "Interrupted", task: "echo asked > asked.txt; sleep 600" });
    const env = { ...nodeEnvironment, TOUCHSTONE_URL: system.url, TOUCHSTONE_API_KEY: system.apiKey };
    const ended = new Promise<Ended>((resolve) => {
      const child = execFile(process.execPath, [cli, "eval"], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, log: stdout + stderr }),
      );
      waitUntil("the agent is asked", async () => (await readFile(path.join(folder, "asked.txt"), "utf8")) !== "").then(
        () => child.kill("SIGINT"),
      );
    });
    const { code, log } = await ended;

    const [, runId = ""] = /Run (\S+):/.exec(log) ?? [];
    expect(log).toContain(`Resume with:\n  touchstone eval --resume ${runId}`);
    expect(code).toBe(130);
  });
});

describe("touchstone gate", () => {
  test("exits with 0, 1, 2 and 3 as the gate passes, fails, cannot be asked and is undecided", async () => {
    await createDataset("Gated", 2);
    const task = () => "a good answer";
    await evaluate({ client, dataset: "Gated", task, folder });
    const { id } = await evaluate({ client, dataset: "Gated", task, folder });
    const away = `http://127.0.0.1:${await findFreePort()}`;
    const gates: [string[], number, string][] = [
      [[id, "--fail-under", "7"], 0, "Gate: passed."],
      [[id, "--fail-under", "9.5"], 1, "Gate: failed."],
      [[id], 2, "At least one check is required"],
      [["none", "--fail-under", "7"], 2, "Run not found (404)"],
      [[id, "--fail-under", "high"], 2, "It must be a number."],
      [[id, "--fail-under", "7", "--url", away], 2, `Touchstone cannot be reached at ${away}: ECONNREFUSED.`],
      [[id, "--method", "paired"], 3, "Gate: undecided."],
    ];
    for (const [args, code, said] of gates) {
      const ended = await touchstone(["gate", ...args]);
      expect(ended.log).toContain(said);
      expect(ended.log).not.toContain(system.apiKey);
      expect(ended.code, ended.log).toBe(code);
    }
  });
});

describe("touchstone", () => {
  test("finds, follows, exports and imports traces", async () => {
    const tailed = touchstone(["traces", "tail", "--limit", "1", "--json"]);
    let isFollowed = false;
    tailed.then(() => {
      isFollowed = true;
    });
    const marker = "zanzibar";
    let traceId = "";
    await waitUntil("a trace is followed", async () => {
      const sent = buildTrace({ output: `The weather in ${marker}` });
      const stored = await api.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", sent);
      traceId = stored.trace_id;
      return isFollowed;
    });
    expect(JSON.parse((await tailed).stdout).output).toContain(marker);

    const found = await touchstone(["traces", "search", marker, "--limit", "1"]);
    expect(found.stdout).toContain(traceId);
    const got = await touchstone(["traces", "get", traceId]);
    expect(JSON.parse(got.stdout)._id).toBe(traceId);
    const inLine = await touchstone(["traces", "get", traceId, "--json"]);
    expect(inLine.stdout).toBe(`${JSON.stringify(JSON.parse(got.stdout))}\n`);

    await mkdir(path.join(folder, "out"));
    const exported = await touchstone(["export", "traces", "--output", "out"]);
    expect(exported.log).toContain("traces.ndjson");
    const lines = (await readFile(path.join(folder, "out/traces.ndjson"), "utf8")).trim().split("\n");
    const imported = await touchstone(["import", "out/traces.ndjson", "--json"]);
    expect(JSON.parse(imported.stdout)).toMatchObject({ stored: 0, replayed: lines.length, rejected: 0 });
    await writeFile(path.join(folder, "wrong.ndjson"), "{}\n");
    expect(await touchstone(["import", "wrong.ndjson"])).toMatchObject({ code: 1 });
  });

  test("doctor finds a working installation, and says how to repair one", async () => {
    const well = await touchstone(["doctor"]);
    expect(well.code, well.log).toBe(0);
    expect(well.stdout.match(/^ok/gm)).toHaveLength(5);

    const refused = await touchstone(["doctor", "--json"], { TOUCHSTONE_API_KEY: "wrong" });
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout).at(-1)).toMatchObject({
      name: "key",
      ok: false,
      fix: expect.stringContaining("Set"),
    });
  });
});
