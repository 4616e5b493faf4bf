import type { VerdictRecord } from "@touchstone/contracts";
import { openDatabase, rolesOf } from "@touchstone/db";
import { createLogger } from "@touchstone/service-kit";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { trimVerdictRecords } from "../src/verdicts/verdict-store.ts";
import { benchKey, type JudgeBench, openJudgeBench, type ScoreBody } from "./judge-bench.ts";
import { buildCase, buildRubric } from "./judge-builders.ts";

const noMetrics = { jaccard: false, bleu: false, rouge: false, vector: null };
const otherProject = "01999999-0000-7000-8000-000000000002";
const organizationId = "01999999-0000-7000-8000-0000000000aa";

let bench: JudgeBench;

beforeAll(async () => {
  bench = await openJudgeBench();
});
afterEach(() => bench.clear());
afterAll(() => bench.stop());

async function query<Row>(text: string): Promise<Row[]> {
  const client = new Client({ connectionString: bench.database.adminUrl });
  try {
    await client.connect();
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

async function judge(body: Partial<ScoreBody> = {}) {
  const [verdict] = (await bench.ask({ similarity: noMetrics, ...body })).verdicts;
  if (verdict === undefined) throw new Error("no verdict came");
  return verdict;
}

async function recordOf(verdict: { verdictId: string | null }): Promise<VerdictRecord> {
  const record = verdict.verdictId === null ? null : await bench.readRecord(verdict.verdictId);
  if (record === null) throw new Error("the verdict has no record");
  return record;
}

describe("the record of a verdict", () => {
  test("exists with the verdict: the exact prompt, the reply, and the cost", async () => {
    await bench.startJudge();
    const rubric = buildRubric({
      scorerId: "the-config",
      version: 3,
      name: "Politeness",
      model: "gpt-5.6-terra-2026-01-31",
      acceptanceCriteria: "Polite.",
    });
    const verdict = await judge({ judges: [rubric] });
    const record = await recordOf(verdict);
    const [sent] = bench.llm.requests;
    expect(record).toEqual({
      id: verdict.verdictId,
      scorerId: "the-config",
      scorerVersion: 3,
      scorerName: "Politeness",
      model: "gpt-5.6-terra-2026-01-31",
      rubric: {
        acceptanceCriteria: "Polite.",
        rejectionCriteria: null,
        evaluationCriteria: null,
        judgePrompt: null,
        toolContext: "simple",
        requiresExpected: false,
      },
      instructions: sent?.instructions,
      prompt: sent?.prompt,
      reply: '{"justification":"Mostly right.","rating":7}',
      rating: 7,
      justification: "Mostly right.",
      skipCode: null,
      source: "live",
      questions: 1,
      tokens: { input: 100, output: 20 },
      costUSD: (100 * 2 + 20 * 12) / 1_000_000,
      latencyMs: expect.any(Number),
      truncated: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  test("of each judge is its own; a model without a price has no cost", async () => {
    await bench.startJudge();
    const rubrics = [buildRubric({ id: "one" }), buildRubric({ id: "two", model: "house-model" })];
    const { verdicts } = await bench.ask({ judges: rubrics, similarity: noMetrics });
    const records = await Promise.all(verdicts.map(recordOf));
    expect(records).toMatchObject([{ scorerId: "one" }, { scorerId: "two", model: "house-model", costUSD: null }]);
    expect(new Set(verdicts.map(({ verdictId }) => verdictId)).size).toBe(2);
  });

  test("of a question that was repeated is the last, with the tokens of both", async () => {
    await bench.startJudge();
    bench.llm.enqueue({ kind: "text", text: "no idea" }, { kind: "verdict", rating: 3 });
    const record = await recordOf(await judge({ runNumber: 2 }));
    expect(record).toMatchObject({ questions: 2, rating: 3, tokens: { input: 200, output: 40 } });
    expect(record.prompt).toBe(bench.llm.requests[1]?.prompt);
    expect(record.prompt).not.toBe(bench.llm.requests[0]?.prompt);
  });

  test("shows no provider key, and marks where a long text is cut", async () => {
    await bench.startJudge();
    const text = `${JSON.stringify({ rating: 5, justification: `The key is ${benchKey}.` })}${" ".repeat(30_000)}\0`;
    bench.llm.enqueue({ kind: "text", text });
    const record = await recordOf(await judge({ case: buildCase({ output: "long ".repeat(30_000) }) }));
    expect(record).toMatchObject({ rating: 5, truncated: true });
    expect(record.reply).toContain("The key is [secret].");
    expect(record.reply).toMatch(/\[cut after 20000 characters]$/);
    expect(record.prompt).toMatch(/\[cut after 100000 characters]$/);
    expect(JSON.stringify(record)).not.toContain(benchKey);
  });
});

describe("a verdict that was skipped", () => {
  test("has a record when the provider failed or its reply was unusable", async () => {
    await bench.startJudge({ SERVICE_JUDGE_RETRIES: "0" });
    bench.llm.enqueue({ kind: "status", status: 503 });
    expect(await recordOf(await judge({ runNumber: 10 }))).toMatchObject({
      rating: null,
      skipCode: "provider_error",
      source: null,
      reply: null,
      tokens: { input: null, output: null },
      costUSD: null,
      prompt: bench.llm.requests[0]?.prompt,
    });
    bench.llm.answerWith({ kind: "text", text: "I would rather not say." });
    expect(await recordOf(await judge({ runNumber: 11 }))).toMatchObject({
      skipCode: "unparseable",
      justification: "Judge returned no usable rating",
      reply: "I would rather not say.",
      questions: 2,
    });
  });

  test("has none when nothing was sent", async () => {
    await bench.startJudge({ OPENAI_API_KEY: "", OPENAI_BASE_URL: "" });
    await expect(judge()).resolves.toMatchObject({ reason: "no_key", verdictId: null });
    const strict = buildRubric({ requiresExpected: true });
    const judged = { judges: [strict], case: buildCase({ expected: null }) };
    await expect(judge(judged)).resolves.toMatchObject({ reason: "no_reference", verdictId: null });
    await expect(judge({ verdictMode: "replay", runNumber: 99 })).resolves.toMatchObject({
      reason: "replay_miss",
      verdictId: null,
    });
  });
});

describe("a verdict that was stored before", () => {
  test("names the record of the call it came from, as long as it is kept", async () => {
    await bench.startJudge();
    const asked = { case: buildCase({ input: "stored" }) };
    const live = await judge(asked);
    for (const verdictMode of ["cache", "replay"] as const) {
      await expect(judge({ ...asked, verdictMode })).resolves.toMatchObject({
        source: verdictMode,
        verdictId: live.verdictId,
      });
    }
    await query("delete from judge.verdict_records");
    await expect(judge({ ...asked, verdictMode: "replay" })).resolves.toMatchObject({ rating: 7, verdictId: null });
    await expect(bench.readRecord(live.verdictId ?? "")).resolves.toBeNull();
  });

  test("names none of another project of the organization", async () => {
    await bench.startJudge();
    const asked = { case: buildCase({ input: "shared" }), organizationId, verdictMode: "cache" } as const;
    expect((await judge(asked)).verdictId).not.toBeNull();
    const other = await judge({ ...asked, projectId: otherProject });
    expect(other).toMatchObject({ source: "cache", rating: 7, verdictId: null });
  });
});

test("a record is its project's alone", async () => {
  await bench.startJudge();
  const { verdictId } = await judge({ runNumber: 20 });
  expect(await bench.readRecord(verdictId ?? "")).not.toBeNull();
  expect(await bench.readRecord(verdictId ?? "", otherProject)).toBeNull();
  expect(await bench.readRecord("01999999-0000-7000-8000-0000000000ee")).toBeNull();
});

test("a record that cannot be stored costs the verdict its id and nothing else", async () => {
  await bench.startJudge();
  await query("alter table judge.verdict_records rename to records_away");
  try {
    await expect(judge({ runNumber: 30 })).resolves.toMatchObject({ status: "scored", rating: 7, verdictId: null });
  } finally {
    await query("alter table judge.records_away rename to verdict_records");
  }
});

test("records are deleted after their days; the ratings stay", async () => {
  await bench.startJudge();
  const [old, young] = [await judge({ runNumber: 40 }), await judge({ runNumber: 41 })];
  await query(`update judge.verdict_records set created_at = now() - interval '8 days' where id = '${old.verdictId}'`);
  const logger = createLogger({ service: "judge", level: "silent" });
  const maintenance = openDatabase({
    url: bench.database.url,
    role: rolesOf("judge").maintenance,
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs: 10_000,
    logger,
  });
  const trimming = trimVerdictRecords({ maintenance, logger, keptDays: 7 });
  try {
    expect(await trimming.sweep()).toBe(1);
  } finally {
    await trimming.stop();
    await maintenance.close();
  }
  expect(await bench.readRecord(old.verdictId ?? "")).toBeNull();
  expect(await bench.readRecord(young.verdictId ?? "")).not.toBeNull();
  await expect(judge({ runNumber: 40, verdictMode: "replay" })).resolves.toMatchObject({ rating: 7, verdictId: null });
});
