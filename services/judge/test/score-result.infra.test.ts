import { type Bus, connectBus } from "@touchstone/bus";
import { type scoreResult as Contract, type JudgeRubric, scoreResult } from "@touchstone/contracts";
import { createMetrics, type Metrics, type Service, systemClock } from "@touchstone/service-kit";
import { type LlmReply, type ScriptedLlm, startScriptedLlm, startTestNats, type TestNats } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { z } from "zod";
import { createJudge, readJudgeConfig } from "../src/index.ts";
import { buildCase, buildRubric } from "./judge-builders.ts";
import { createTestLogger } from "./providers/judge-setup.ts";

type Body = z.input<typeof Contract.body>;

const key = "sk-canary-0123456789abcdef";
const verdict: LlmReply = { kind: "verdict", rating: 8, justification: "Good." };

let nats: TestNats;
let llm: ScriptedLlm;
let asker: Bus;
const started: Service[] = [];

beforeAll(async () => {
  [nats, llm] = await Promise.all([startTestNats(), startScriptedLlm()]);
  asker = connectBus({ url: nats.url, service: "eval-runs", logger: createTestLogger().logger });
  await vi.waitFor(() => expect(asker.status()).toBe("connected"));
});
beforeEach(() => llm.reset());
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop()));
});
afterAll(async () => {
  await asker.drain();
  await Promise.all([nats.stop(), llm.stop()]);
});

/** A judge as it runs in production, on the test's bus. */
async function startJudge(
  environment: Record<string, string> = {},
): Promise<{ metrics: Metrics; log(): string; service: Service }> {
  const { config } = readJudgeConfig({
    PORT: "0",
    SERVICE_NATS_URL: nats.url,
    SERVICE_INTERNAL_SECRET: "the root secret of this test installation",
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: llm.baseUrl,
    ...environment,
  });
  const { logger, log } = createTestLogger();
  const metrics = createMetrics();
  const service = createJudge(config, { logger, clock: systemClock, metrics });
  started.push(service);
  await service.start();
  await expect.poll(async () => (await service.readiness()).ready).toBe(true);
  return { metrics, log, service };
}

function ask(body: Partial<Body> = {}, timeoutMs = 30_000) {
  const whole: Body = {
    projectId: "01999999-0000-7000-8000-000000000001",
    judges: [buildRubric()],
    case: buildCase(),
    similarity: { jaccard: true, bleu: true, rouge: true, vector: { model: null } },
    ...body,
  };
  return asker.request(scoreResult, whole, { timeoutMs });
}

describe("a result", () => {
  test("is judged by every rubric and compared by every metric, verdicts in the order asked", async () => {
    await startJudge();
    llm.answerWith(({ prompt }) =>
      prompt.includes("Polite.")
        ? { kind: "verdict", rating: 2, justification: "Rude." }
        : { ...verdict, delayMs: 100 },
    );
    const polite: JudgeRubric = buildRubric({
      id: "tone",
      name: "Tone",
      model: "gpt-4.1",
      acceptanceCriteria: "Polite.",
    });

    const reply = await ask({ judges: [buildRubric(), polite] });

    expect(reply).toEqual({
      verdicts: [
        {
          judgeId: "primary",
          status: "scored",
          rating: 8,
          justification: "Good.",
          reason: null,
          model: "gpt-5.6-luna",
          durationMs: expect.any(Number),
        },
        {
          judgeId: "tone",
          status: "scored",
          rating: 2,
          justification: "Rude.",
          reason: null,
          model: "gpt-4.1",
          durationMs: expect.any(Number),
        },
      ],
      similarity: { jaccard: 1, bleu: 1, rouge: 1, vector: expect.closeTo(1, 9) },
    });
  });

  test("keeps its metrics when the judge fails, and its other verdicts when one of them does", async () => {
    await startJudge({ SERVICE_JUDGE_RETRIES: "0" });
    llm.answerWith(({ model }) => (model === "broken" ? { kind: "status", status: 503 } : verdict));
    llm.embedWith({ kind: "status", status: 503 });

    const reply = await ask({ judges: [buildRubric({ model: "broken" }), buildRubric({ id: "second" })] });

    expect(reply.verdicts).toMatchObject([
      { judgeId: "primary", status: "skipped", rating: null, reason: "provider_error" },
      { judgeId: "second", status: "scored", rating: 8 },
    ]);
    expect(reply.similarity).toEqual({ jaccard: 1, bleu: 1, rouge: 1, vector: null });
  });

  test("may have no judge at all", async () => {
    await startJudge();
    await expect(ask({ judges: [] })).resolves.toMatchObject({ verdicts: [], similarity: { jaccard: 1 } });
    expect(llm.requests.map((request) => request.api)).toEqual(["embeddings"]);
  });

  test("without an expected result is skipped only by judges that need one, and has no metrics", async () => {
    await startJudge();
    const reply = await ask({
      judges: [buildRubric(), buildRubric({ id: "strict", requiresExpected: true })],
      case: buildCase({ expected: "  " }),
    });
    expect(reply.verdicts).toMatchObject([
      { status: "scored" },
      {
        status: "skipped",
        rating: null,
        reason: "no_reference",
        justification: "This judge needs an expected result, and the case has none.",
      },
    ]);
    expect(reply.similarity).toEqual({ jaccard: null, bleu: null, rouge: null, vector: null });
  });
});

describe("without a key", () => {
  test("verdicts are skipped and say what is missing; metrics that need no provider are there", async () => {
    const { service } = await startJudge({ OPENAI_API_KEY: "", OPENAI_BASE_URL: "" });
    const reply = await ask({ judges: [buildRubric(), buildRubric({ id: "second", model: "gpt-4.1" })] });
    expect(reply.verdicts).toMatchObject([
      {
        status: "skipped",
        rating: null,
        reason: "no_key",
        justification: 'Judge model "gpt-5.6-luna" needs an OpenAI API key. Set OPENAI_API_KEY.',
      },
      { reason: "no_key", justification: 'Judge model "gpt-4.1" needs an OpenAI API key. Set OPENAI_API_KEY.' },
    ]);
    expect(reply.similarity).toEqual({ jaccard: 1, bleu: 1, rouge: 1, vector: null });
    await expect(service.readiness()).resolves.toEqual({ ready: true, checks: { bus: "ok", provider: "no key" } });
  });

  test("an endpoint of the operator's own is asked all the same", async () => {
    await startJudge({ OPENAI_API_KEY: "" });
    await expect(ask()).resolves.toMatchObject({ verdicts: [{ status: "scored" }] });
    expect(llm.requests.map((request) => request.api).sort()).toEqual(["chat", "embeddings"]);
  });
});

describe("the deadline", () => {
  test("brings back what is finished in time, and the rest skipped as a timeout", async () => {
    await startJudge();
    llm.answerWith(({ model }) => (model === "slow" ? { kind: "silence" } : verdict));
    llm.embedWith({ kind: "silence" });

    const reply = await ask({ judges: [buildRubric({ model: "slow" }), buildRubric({ id: "second" })] }, 2_000);

    expect(reply.verdicts).toMatchObject([
      { status: "skipped", rating: null, reason: "timeout", justification: "The judge did not answer in time." },
      { status: "scored", rating: 8 },
    ]);
    expect(reply.similarity).toEqual({ jaccard: 1, bleu: 1, rouge: 1, vector: null });
  });

  test("is not needed when the requester gives up: the provider is let go at once", async () => {
    await startJudge();
    llm.answerWith({ kind: "silence" });
    const giveUp = new AbortController();
    const body: Body = {
      projectId: "01999999-0000-7000-8000-000000000001",
      judges: [buildRubric()],
      case: buildCase(),
      similarity: { jaccard: false, bleu: false, rouge: false, vector: null },
    };
    const asking = asker.request(scoreResult, body, { timeoutMs: 30_000, signal: giveUp.signal });
    await expect.poll(() => llm.inFlight()).toBe(1);
    giveUp.abort(new Error("gone"));
    await expect(asking).rejects.toThrow();
    await expect.poll(() => llm.inFlight()).toBe(0);
  });
});

test("any number of results come back judged, with at most the allowed calls at once", async () => {
  await startJudge({ SERVICE_JUDGE_CONCURRENCY: "6" });
  llm.answerWith({ ...verdict, delayMs: 20 });
  const replies = await Promise.all(Array.from({ length: 60 }, () => ask()));
  expect(replies.every((reply) => reply.verdicts[0]?.status === "scored")).toBe(true);
  expect(llm.inFlightMax()).toBe(6);
});

test("the key is in no log line, and neither is anything that was judged", async () => {
  const { log } = await startJudge({ SERVICE_JUDGE_RETRIES: "0", SERVICE_LOG_LEVEL: "trace" });
  llm.enqueue({ kind: "status", status: 401, message: `bad key ${key}` }, { kind: "raw", body: key }, verdict);
  for (let result = 0; result < 3; result += 1) await ask({ case: buildCase({ output: "canary-output" }) });
  expect(log()).toContain("bus request answered");
  expect(log()).not.toContain(key);
  expect(log()).not.toContain("canary-output");
});

test("calls and verdicts are counted, by provider and outcome and by nothing that tells of a tenant", async () => {
  const { metrics } = await startJudge({ SERVICE_JUDGE_RETRIES: "0" });
  llm.enqueue({ kind: "status", status: 503 }, verdict);
  await ask();
  await ask();
  const text = await metrics.metrics();
  const provider = new URL(llm.baseUrl).host;
  expect(text).toContain(`service_judge_calls_total{provider="${provider}",operation="chat",outcome="broken"} 1`);
  expect(text).toContain(`service_judge_calls_total{provider="${provider}",operation="chat",outcome="answered"} 1`);
  expect(text).toContain(
    `service_judge_calls_total{provider="${provider}",operation="embeddings",outcome="answered"} 2`,
  );
  expect(text).toContain('service_judge_verdicts_total{status="scored",reason=""} 1');
  expect(text).toContain('service_judge_verdicts_total{status="skipped",reason="provider_error"} 1');
  expect(text).not.toContain("01999999");
});

test("a judge whose bus is away is not ready, and is again when it is back", async () => {
  const { service } = await startJudge();
  await nats.kill("SIGKILL");
  await expect.poll(async () => (await service.readiness()).ready).toBe(false);
  await nats.restart();
  await expect.poll(async () => (await service.readiness()).ready, { timeout: 20_000 }).toBe(true);
  // Who asks has a connection of its own, which comes back in its own time.
  await expect
    .poll(() => ask().catch(() => null), { timeout: 20_000 })
    .toMatchObject({ verdicts: [{ status: "scored" }] });
});
