import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { buildResult } from "@touchstone/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "./conditions.ts";
import { type FakeJudge, rate, skippedAs } from "./fake-judge.ts";
import { createProjectClient, startRun } from "./project-client.ts";
import { rootSecret } from "./start-eval-runs.ts";
import { startTestSystem, type TestSystem } from "./test-system.ts";

let system: TestSystem;

beforeEach(async () => {
  system = await startTestSystem();
});

afterEach(() => system.stop());

describe("a service that is killed in the middle of a batch", () => {
  async function startChild(): Promise<{ child: ChildProcess; address: string }> {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, "child-eval-runs.ts")], {
      env: {
        PATH: process.env.PATH,
        PORT: "0",
        SERVICE_DB_URL: system.database.url,
        SERVICE_NATS_URL: system.nats.url,
        SERVICE_INTERNAL_SECRET: rootSecret,
        SERVICE_INGEST_URL: "http://127.0.0.1:1",
      },
      // Its end of standard input closes with this process, which ends it too.
      stdio: ["pipe", "pipe", "inherit"],
    });
    system.cleanups.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    });
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const { msg, address } = JSON.parse(line);
      if (msg === "serving") return { child, address };
    }
    throw new Error("the child ended before it served");
  }

  /** Kills the child when three of a batch of ten are stored and seven are being judged. */
  async function killMidBatch(judge: FakeJudge): Promise<{ projectId: string; runId: string; results: object[] }> {
    const { child, address } = await startChild();
    const client = createProjectClient(address);
    let runId = "";
    await until(async () => {
      runId = await startRun(client);
    });
    const results = Array.from({ length: 10 }, (_, index) => buildResult({ output: { text: String(index) } }));
    judge.behave(async (body, call) => {
      if (Number(body.case.output) < 3) return rate(9);
      await once(call.signal, "abort");
      return rate(1);
    });
    const submitting = client.submit(runId, results).catch(() => "cut off");
    await until(async () => expect(await client.readRun(runId)).toMatchObject({ resultCount: 3 }));
    await until(() => expect(judge.atWork()).toBe(7));
    child.kill("SIGKILL");
    expect(await submitting).toBe("cut off");
    return { projectId: client.projectId, runId, results };
  }

  test("the retry echoes stored results and does the rest", async () => {
    const judge = await system.startJudge();
    const { projectId, runId, results } = await killMidBatch(judge);
    judge.behave(() => rate(5));
    const client = createProjectClient((await system.startService()).address, projectId);

    const { status, body } = await client.submit(runId, results);

    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 7, duplicates: 3, failedValidation: 0 });
    expect(body.scoredResults.map((scored: { rating: number }) => scored.rating)).toEqual([
      ...Array(3).fill(9),
      ...Array(7).fill(5),
    ]);
    expect(await client.readRun(runId)).toMatchObject({ resultCount: 10, averageRating: (3 * 9 + 7 * 5) / 10 });
  });

  test("finalizing stores unfinished results as skipped, with everything that was submitted", async () => {
    const judge = await system.startJudge();
    const { projectId, runId, results } = await killMidBatch(judge);
    const client = createProjectClient((await system.startService()).address, projectId);

    const { body } = await client.finalize(runId);

    expect(body).toMatchObject({
      status: "completed",
      resultCount: 10,
      averageRating: 9,
      liveStatistics: { ratedCount: 3, skippedCount: 7 },
    });
    const run = await client.readRun(runId);
    expect(run.results.map((row: { output: { text: string } }) => row.output.text)).toEqual(
      Array.from({ length: 10 }, (_, index) => String(index)),
    );
    expect(run.results[9]).toMatchObject(skippedAs("The run was finalized before this result was judged."));
    expect((await client.submit(runId, results)).status).toBe(409);
  });
});
