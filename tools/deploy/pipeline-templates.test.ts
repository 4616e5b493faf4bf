import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../repository-files.ts";

const at = (file: string) => path.join(repositoryRoot, "deploy/ci", file);

interface Action {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: { id: string; run: string; env: Record<string, string> }[] };
}

let script = "";
let page = "";
let action: Action;

beforeAll(async () => {
  script = await readFile(at("gate.mjs"), "utf8");
  page = await readFile(at("README.md"), "utf8");
  action = parse(await readFile(at("action.yml"), "utf8")) as Action;
});

describe("the gate of a pipeline", () => {
  test("has the same settings in the script, the GitHub Action and their documentation", () => {
    const read = [...new Set(script.matchAll(/"(TOUCHSTONE_[A-Z_]+)"/g))].map(([, name]) => name as string).sort();
    const [step] = action.runs.steps;
    const inputOf = (name: string) => name.replace("TOUCHSTONE_", "").toLowerCase().replaceAll("_", "-");

    expect(Object.keys(step?.env ?? {}).sort()).toEqual([...new Set(read)]);
    for (const [name, value] of Object.entries(step?.env ?? {})) {
      expect(value).toBe(`\${{ inputs.${inputOf(name)} }}`);
      expect(page).toContain(`| \`${inputOf(name)}\` | \`${name}\` |`);
    }
    expect(Object.keys(action.inputs).sort()).toEqual(
      Object.keys(step?.env ?? {})
        .map(inputOf)
        .sort(),
    );
    for (const [name, { value }] of Object.entries(action.outputs)) {
      expect(value).toBe(`\${{ steps.${step?.id}.outputs.${name} }}`);
    }
  });

  test("never has an input of the Action written into a script", () => {
    expect(action.runs.using).toBe("composite");
    for (const { run } of action.runs.steps) expect(run).toBe('node "$GITHUB_ACTION_PATH/gate.mjs"');
  });

  test("is a job to extend in GitLab, whose artifact is kept either way", async () => {
    const template = parse(await readFile(at("gitlab-ci.yml"), "utf8"));
    expect(template[".touchstone-gate"]).toMatchObject({
      variables: { TOUCHSTONE_RESULT_FILE: "touchstone-gate.json" },
      script: ["node ci/touchstone/gate.mjs"],
      artifacts: { when: "always", paths: ["touchstone-gate.json"] },
    });
  });
});

/**
 * Runs the script against a server that answers each request with the next of the answers; null = it closes the
 * connection.
 */
async function runAgainst(answers: readonly ([status: number, body: unknown] | null)[]) {
  const asked: string[] = [];
  const left = [...answers];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.replace("/api/v1/ingest/ci-runs", "")}`);
    request.resume();
    const next = left.shift() ?? null;
    if (next === null) return void request.socket.destroy();
    response.writeHead(next[0], { "content-type": "application/json" }).end(JSON.stringify(next[1]));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const child = spawn(process.execPath, [at("gate.mjs")], {
    env: {
      TOUCHSTONE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      TOUCHSTONE_API_KEY: "key",
      TOUCHSTONE_DATASET_ID: "d",
      TOUCHSTONE_COMMAND: "exit 0",
    },
  });
  let log = "";
  child.stdout.on("data", (chunk) => {
    log += chunk;
  });
  const [code] = await once(child, "close");
  server.close();
  return { code, log, asked };
}

describe("when the server has problems", () => {
  const created = [201, { run_id: "r", total_questions: 1, pass_rate_threshold: 1, test_cases: [] }] as const;
  const scores = { scores: [], gate_fired: false };
  const verdict = {
    run_id: "r",
    gate: "pass",
    pass_rate: 1,
    pass_rate_threshold: 1,
    passed_questions: 1,
    total_questions: 1,
    violations: [],
  };

  test("results are sent again after a broken connection", async () => {
    const { code, asked } = await runAgainst([[...created], null, [200, scores], [200, verdict]]);
    expect(asked).toEqual(["POST ", "POST /r/results", "POST /r/results", "POST /r/finalize"]);
    expect(code).toBe(0);
  });

  test("a run that was decided by a lost answer is asked for its verdict", async () => {
    const refused = [409, { error: "Run is already in a terminal state" }] as [number, unknown];
    const { code, asked } = await runAgainst([[...created], null, refused, [200, { ...verdict, gate: "fail" }]]);
    expect(asked.at(-1)).toBe("POST /r/finalize");
    expect(code).toBe(1);
  });

  test("a run is not started twice", async () => {
    const { code, log, asked } = await runAgainst([null]);
    expect(asked).toEqual(["POST "]);
    expect(log).toContain("cannot be reached");
    expect(code).toBe(2);
  });

  test("an answer that is not a CI run's, and an expired run, are reported", async () => {
    expect(await runAgainst([[200, {}]])).toMatchObject({ code: 2, log: expect.stringContaining("is not Touchstone") });
    const expired = await runAgainst([[...created], [410, { error: "Run expired" }]]);
    expect(expired).toMatchObject({ code: 2, log: expect.stringContaining("was answered 410: Run expired") });
  });
});
