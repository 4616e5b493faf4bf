import { hash } from "node:crypto";
import { compareTexts } from "@touchstone/contracts";
import { findFreePort } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AnsweredKeys } from "../../src/providers/project-keys.ts";
import { benchKey, type JudgeBench, openJudgeBench, type ScoreBody } from "../judge-bench.ts";
import { buildCase, buildRubric } from "../judge-builders.ts";
import { type ScriptedAuth, startScriptedAuth } from "./scripted-auth.ts";

const projects = {
  own: "01999999-0000-7000-8000-0000000000a1",
  ownSecond: "01999999-0000-7000-8000-0000000000a2",
  other: "01999999-0000-7000-8000-0000000000b1",
};
const ownOrganization = "01999999-0000-7000-8000-00000000aaaa";
const otherOrganization = "01999999-0000-7000-8000-00000000bbbb";
const noMetrics = { jaccard: false, bleu: false, rouge: false, vector: null };

let bench: JudgeBench;
let auth: ScriptedAuth;

beforeAll(async () => {
  bench = await openJudgeBench();
});
beforeEach(async () => {
  auth = await startScriptedAuth();
});
afterEach(async () => {
  await bench.clear();
  await auth.stop();
});
afterAll(() => bench?.stop());

const withKeys = (openai: string | null): Pick<AnsweredKeys, "keys"> => ({
  keys: { openai, gemini: null, anthropic: null },
});
const tenant = (organizationId: string, openai: string | null): Partial<AnsweredKeys> => ({
  organizationId,
  isTenant: true,
  ...withKeys(openai),
});
const hashOf = (key: string): string => hash("sha256", key);
const keysSeen = (): Set<string | null> => new Set(bench.llm.requests.map(({ keyHash }) => keyHash));

async function judge(projectId: string, body: Partial<ScoreBody> = {}) {
  const { verdicts } = await bench.ask({ projectId, similarity: noMetrics, ...body });
  return verdicts[0];
}

describe("an installation's judge", () => {
  test("asks with the stored key instead of the environment's, and with another one seconds after it was stored", async () => {
    auth.store(projects.own, withKeys("sk-stored-0123456789"));
    await bench.startJudge({ SERVICE_AUTH_URL: auth.url });
    expect(await judge(projects.own)).toMatchObject({ status: "scored" });
    expect(keysSeen()).toEqual(new Set([hashOf("sk-stored-0123456789")]));

    auth.store(projects.own, withKeys("sk-second-0123456789"));
    await expect
      .poll(
        async () => {
          await judge(projects.own);
          return bench.llm.requests.at(-1)?.keyHash;
        },
        { interval: 200 },
      )
      .toBe(hashOf("sk-second-0123456789"));

    expect(await judge(projects.other)).toMatchObject({ status: "scored" });
    expect(bench.llm.requests.at(-1)?.keyHash).toBe(hashOf(benchKey));
  });

  test("asks the project's platform model where a rubric names none", async () => {
    auth.store(projects.own, { platformModel: "gpt-platform" });
    await bench.startJudge({ SERVICE_AUTH_URL: auth.url });
    expect(await judge(projects.own, { judges: [buildRubric({ model: null })] })).toMatchObject({
      model: "gpt-platform",
    });
    expect(bench.llm.requests.at(-1)?.model).toBe("gpt-platform");
    expect(await judge(projects.own, { judges: [buildRubric({ model: "gpt-named" })] })).toMatchObject({
      model: "gpt-named",
    });
  });

  test("calls no provider while auth cannot resolve the key, and reports it before the deadline", async () => {
    await bench.startJudge({ SERVICE_AUTH_URL: `http://127.0.0.1:${await findFreePort()}` });
    const { verdicts, similarity } = await bench.ask({ similarity: { ...noMetrics, jaccard: true } }, 5_000);
    expect(verdicts[0]).toMatchObject({
      status: "skipped",
      rating: null,
      reason: "provider_error",
      justification: "The provider keys cannot be read at the moment, so no judge was asked.",
    });
    expect(similarity).toEqual({ jaccard: 1 });
    expect(bench.llm.requests).toEqual([]);
  });
});

describe("a replay while auth is unavailable", () => {
  test("finds what was judged with the model that it names, and reports the outage instead of a miss", async () => {
    auth.store(projects.own, { platformModel: "gpt-platform" });
    await bench.startJudge({ SERVICE_AUTH_URL: auth.url });
    const ask = (model: string | null, body: Partial<ScoreBody> = {}) =>
      judge(projects.own, { judges: [buildRubric({ model })], case: buildCase({ input: "an outage" }), ...body });
    expect(await ask(null)).toMatchObject({ status: "scored", model: "gpt-platform" });
    const named = await ask("gpt-named");
    expect(named).toMatchObject({ status: "scored" });
    await bench.stopJudges();
    // The installation's default model rated the same case for the same owner.
    await bench.startJudge();
    expect(await ask(null)).toMatchObject({ status: "scored", model: "gpt-5.6-luna" });
    await bench.stopJudges();

    await bench.startJudge({ SERVICE_AUTH_URL: `http://127.0.0.1:${await findFreePort()}` });
    const replay = (model: string | null) => ask(model, { verdictMode: "replay" });
    const unavailable = {
      status: "skipped",
      rating: null,
      reason: "provider_error",
      justification: "The provider keys cannot be read at the moment, so no judge was asked.",
      verdictId: null,
    };
    expect(await replay(null)).toMatchObject(unavailable);
    expect(await replay("gpt-never-asked")).toMatchObject(unavailable);
    expect(await replay("gpt-named")).toMatchObject({ source: "replay", verdictId: named?.verdictId });
  });
});

describe("a tenant's judge", () => {
  test("never uses a key of the environment: without an own key no provider is called, for anything", async () => {
    auth.store(projects.own, tenant(ownOrganization, null));
    auth.store(projects.other, tenant(otherOrganization, "sk-other-0123456789"));
    const { log } = await bench.startJudge({
      SERVICE_AUTH_URL: auth.url,
      SERVICE_MULTI_TENANT: "true",
      GEMINI_API_KEY: "gemini-canary-0123456789",
      GEMINI_BASE_URL: bench.llm.baseUrl,
    });
    const models = [null, "gpt-4.1", "gemini-2.5-pro"];
    const judges = models.map((model, index) => buildRubric({ id: `judge-${index}`, model }));
    const vector = { model: null };
    const { verdicts, similarity } = await bench.ask({
      projectId: projects.own,
      judges,
      similarity: { ...noMetrics, vector },
    });
    expect(verdicts.map(({ status, reason }) => `${status} ${reason}`)).toEqual(models.map(() => "skipped no_key"));
    expect(verdicts[0]?.justification).toMatch(/needs a OpenAI API key\. Add it under provider keys\.$/);
    expect(similarity).toEqual({ vector: null });
    const compared = { projectId: projects.own, text: "a", others: ["b"], model: null };
    expect(await bench.asker.request(compareTexts, compared, { timeoutMs: 30_000 })).toEqual({ cosines: null });
    expect(bench.llm.requests).toEqual([]);

    expect(await judge(projects.other)).toMatchObject({ status: "scored" });
    expect(keysSeen()).toEqual(new Set([hashOf("sk-other-0123456789")]));

    // A client that stores a missing key need not wait.
    auth.store(projects.own, tenant(ownOrganization, "sk-own-0123456789"));
    await expect.poll(async () => (await judge(projects.own))?.status, { interval: 100 }).toBe("scored");
    expect(keysSeen()).toEqual(new Set([hashOf("sk-other-0123456789"), hashOf("sk-own-0123456789")]));
    expect(log()).not.toMatch(/canary|sk-o/);
  });

  test("uses the quota of its organization, shared by all its projects, and of no other", async () => {
    for (const projectId of [projects.own, projects.ownSecond]) {
      auth.store(projectId, tenant(ownOrganization, "sk-own-0123456789"));
    }
    auth.store(projects.other, tenant(otherOrganization, "sk-other-0123456789"));
    await bench.startJudge({ SERVICE_AUTH_URL: auth.url, SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "2" });
    expect(await judge(projects.own)).toMatchObject({ status: "scored" });
    expect(await judge(projects.ownSecond)).toMatchObject({ status: "scored" });
    expect(await judge(projects.ownSecond)).toMatchObject({
      status: "skipped",
      reason: "quota",
      justification:
        "Daily judge-call quota reached (2/day for this organization). Quota resets at midnight UTC; raise SERVICE_QUOTA_JUDGE_CALLS_PER_DAY to change the ceiling.",
    });
    expect(await judge(projects.other)).toMatchObject({ status: "scored" });
    const client = new Client({ connectionString: bench.database.adminUrl });
    await client.connect();
    const { rows } = await client.query("select payer, calls from judge.quota_days order by payer");
    await client.end();
    expect(rows).toEqual([
      { payer: ownOrganization, calls: "2" },
      { payer: otherOrganization, calls: "1" },
    ]);
  });
});

test("a judge of a multi-tenant installation without the address of auth does not start", async () => {
  await expect(bench.startJudge({ SERVICE_MULTI_TENANT: "true" })).rejects.toThrow(/SERVICE_AUTH_URL/);
});

test("a custom model judges at its own endpoint with its own key; where private addresses are refused no call is made", async () => {
  const house = { model: "house", baseUrl: bench.llm.baseUrl, apiKey: "sk-house-0123456789" };
  const price = { model: "house", provider: "custom", label: "House", input: 1, output: 10 } as const;
  const prices = [{ ...price, cacheRead: null, cacheWrite: null, isRemoved: false }];
  auth.store(projects.own, { ...tenant(ownOrganization, null), models: [house], prices });
  const settings = { SERVICE_AUTH_URL: auth.url, SERVICE_MULTI_TENANT: "true", SERVICE_JUDGE_RETRIES: "0" };
  const ask = () => judge(projects.own, { judges: [buildRubric({ model: "house" })] });

  await bench.startJudge({ ...settings, SERVICE_ALLOW_PRIVATE_WEBHOOKS: "true" });
  const verdict = await ask();
  expect(verdict).toMatchObject({ status: "scored", model: "house" });
  const record = await bench.readRecord(verdict?.verdictId ?? "", projects.own);
  // 100 tokens in and 20 out, at the catalogue's own price.
  expect(record?.costUSD).toBe(0.0003);
  expect(keysSeen()).toEqual(new Set([hashOf(house.apiKey)]));

  await bench.clear();
  // The scripted provider is on this machine.
  await bench.startJudge(settings);
  expect(await ask()).toMatchObject({
    status: "skipped",
    reason: "provider_error",
    justification: expect.not.stringContaining("127.0.0.1"),
  });
  expect(bench.llm.requests).toHaveLength(0);
});
