import { createMetrics } from "@touchstone/service-kit";
import { type LlmReply, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { asCustom, createMetricsObserver } from "../../src/providers/metrics-observer.ts";
import { letTimePass, setUpJudge, testKey } from "./judge-setup.ts";

let llm: ScriptedLlm;

beforeAll(async () => {
  llm = await startScriptedLlm();
});
beforeEach(() => llm.reset());
afterAll(() => llm.stop());

const verdict: LlmReply = { kind: "verdict", rating: 8, justification: "Good." };
const down: LlmReply = { kind: "status", status: 503 };

describe("the circuit", () => {
  const openMessage = "The judge provider keeps failing and is not asked for the moment.";

  test("opens after five failures in a row, and then no call is made until a probe has failed or been answered", async () => {
    llm.answerWith(down);
    const { judge, clock, provider, circuits } = setUpJudge(llm, { retriesMax: 0 });
    for (let failure = 0; failure < 5; failure += 1) await judge();
    expect(provider.circuit()).toBe("open");
    expect(circuits).toEqual(["closed", "closed", "closed", "closed", "open"]);

    const waiting = [judge(), judge(), judge()];
    await clock.waitForSleepers(1);
    await clock.advance(9_900);
    expect(llm.requests).toHaveLength(5);

    const verdicts = await letTimePass(clock, Promise.all(waiting));
    expect(llm.requests).toHaveLength(6);
    expect(verdicts.map((outcome) => outcome.justification).sort()).toEqual([
      "The judge provider failed (HTTP 503).",
      openMessage,
      openMessage,
    ]);
    // So live traffic does not pay for them.
    expect(verdicts.filter(({ isUnsent }) => isUnsent).map(({ justification }) => justification)).toEqual([
      openMessage,
      openMessage,
    ]);
  });

  test("of an endpoint that a project brings is in no metric, and its calls have the name of all of these", async () => {
    llm.answerWith(verdict);
    const metrics = createMetrics();
    const { judge } = setUpJudge(llm, { observer: asCustom(createMetricsObserver(metrics)) });
    await judge();
    const text = await metrics.metrics();
    expect(text).toContain('service_judge_calls_total{provider="custom",operation="responses",outcome="answered"} 1');
    expect(text).not.toMatch(/^service_judge_circuit_open\{/m);
    expect(text).not.toContain(new URL(llm.baseUrl).host);
  });

  test("of embeddings is a separate one: when they keep failing, judges are still asked", async () => {
    llm.answerWith(verdict);
    llm.embedWith(down);
    const { judge, provider, circuits } = setUpJudge(llm, { retriesMax: 0 });
    const call = { group: "g", signal: new AbortController().signal, deadlineAtMs: Number.POSITIVE_INFINITY };
    for (let failure = 0; failure < 5; failure += 1) {
      await expect(provider.embed(["text"], "model", call)).rejects.toThrow("HTTP 503");
    }

    expect(await judge()).toMatchObject({ status: "scored" });
    expect(provider.circuit()).toBe("closed");
    expect(circuits).toEqual(["closed"]);
  });

  test("heals by itself: results that waited for the probe are judged and nothing is lost", async () => {
    llm.answerWith(down);
    const { judge, clock, provider, circuits } = setUpJudge(llm, { retriesMax: 0 });
    for (let failure = 0; failure < 5; failure += 1) await judge();

    const waiting = Array.from({ length: 20 }, () => judge());
    llm.answerWith(verdict);
    const verdicts = await letTimePass(clock, Promise.all(waiting));

    expect(verdicts.every((outcome) => outcome.status === "scored")).toBe(true);
    expect(provider.circuit()).toBe("closed");
    expect(circuits.at(-1)).toBe("closed");
  });

  test("opens on timeouts and broken connections, and not on refusals or on a wish for fewer calls", async () => {
    const refusals: LlmReply[] = [400, 401, 429].map((status) => ({ kind: "status", status }));
    const { judge, provider } = setUpJudge(llm, { retriesMax: 0, timeoutMs: 50 });
    for (let round = 0; round < 3; round += 1) {
      for (const refusal of refusals) {
        llm.answerWith(refusal);
        await judge();
      }
    }
    expect(provider.circuit()).toBe("closed");
    llm.enqueue({ kind: "reset" }, { kind: "silence" }, { kind: "reset" }, { kind: "stall" }, { kind: "reset" });
    for (let failure = 0; failure < 5; failure += 1) await judge();
    expect(provider.circuit()).toBe("open");
  });

  test("leaves a result that cannot wait for it to its deadline", async () => {
    llm.answerWith(down);
    const { judge } = setUpJudge(llm, { retriesMax: 0 });
    for (let failure = 0; failure < 5; failure += 1) await judge();
    const stop = new AbortController();
    const judging = judge({}, {}, { signal: stop.signal });
    stop.abort(new Error("deadline"));
    await expect(judging).resolves.toMatchObject({ status: "skipped", reason: "timeout" });
  });
});

test("no more concurrent calls are made than allowed", async () => {
  // On a busy machine short answers may never overlap.
  llm.answerWith(() => ({ ...verdict, delayMs: llm.inFlightMax() < 3 ? 1_000 : 20 }));
  const { judge } = setUpJudge(llm, { placesMax: 3 });
  await Promise.all(Array.from({ length: 12 }, () => judge()));
  expect(llm.requests).toHaveLength(12);
  expect(llm.inFlightMax()).toBe(3);
});

test("a provider that wants fewer calls gets fewer at once", async () => {
  llm.answerWith({ kind: "status", status: 429, retryAfter: 0 });
  const { judge, clock } = setUpJudge(llm, { placesMax: 8 });
  await letTimePass(clock, judge());
  llm.reset();
  llm.answerWith({ ...verdict, delayMs: 30 });
  await letTimePass(clock, Promise.all(Array.from({ length: 4 }, () => judge())));
  expect(llm.inFlightMax()).toBeLessThan(4);
});

describe("the key", () => {
  test("reaches no verdict and no log, however hard the provider tries", async () => {
    const escaped = JSON.stringify(testKey).replace("s", "\\u0073");
    const replies: LlmReply[] = [
      { kind: "status", status: 401, message: `Incorrect API key provided: ${testKey}`, code: testKey, param: testKey },
      {
        kind: "status",
        status: 400,
        message: testKey,
        body: { error: { message: testKey, type: testKey, code: testKey } },
      },
      { kind: "status", status: 500, message: testKey },
      { kind: "status", status: 429, message: testKey, headers: { "retry-after": testKey } },
      { kind: "status", status: 302, headers: { location: `https://example.invalid/?key=${testKey}` } },
      { kind: "raw", body: `<html>${testKey}</html>` },
      { kind: "raw", status: 400, body: `plain ${testKey}`, contentType: "text/plain" },
      { kind: "verdict", rating: 9, justification: `The key is ${testKey}, I say ${testKey}.` },
      { kind: "text", text: `{"justification": ${escaped}, "rating": 9}` },
      { kind: "text", text: `no verdict, but ${testKey}` },
      { kind: "reset" },
    ];
    for (const reply of replies) {
      llm.reset();
      llm.answerWith(reply);
      const { judge, clock, log, calls, verdicts } = setUpJudge(llm);
      const outcome = await letTimePass(clock, judge());
      expect(llm.requests.length).toBeGreaterThan(0);
      expect(JSON.stringify({ outcome, calls, verdicts, log: log() })).not.toContain(testKey);
    }
  });

  test("is removed from a justification without removing the justification", async () => {
    llm.answerWith({ kind: "verdict", rating: 9, justification: `They sent ${testKey}.` });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({ rating: 9, justification: "They sent [secret]." });
  });

  test("that is a mere word is no secret", async () => {
    llm.answerWith({ kind: "verdict", rating: 0, justification: "The output is EMPTY." });
    const { judge } = setUpJudge(llm, { apiKey: "EMPTY" });
    await expect(judge()).resolves.toMatchObject({ justification: "The output is EMPTY." });
  });
});

test("environment variables of the client package change nothing", async () => {
  const before = { ...process.env };
  process.env.OPENAI_CUSTOM_HEADERS = "x-leak: yes";
  process.env.OPENAI_ORG_ID = "org-from-nowhere";
  process.env.OPENAI_BASE_URL = "http://127.0.0.1:9/v1";
  process.env.OPENAI_LOG = "debug";
  try {
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({ status: "scored" });
  } finally {
    process.env = before;
  }
  expect(Object.keys(llm.requests[0]?.headers ?? {})).not.toContain("x-leak");
  expect(Object.keys(llm.requests[0]?.headers ?? {})).not.toContain("openai-organization");
});

test("calls that wait for a place are counted until they have one or are given up", async () => {
  llm.answerWith(verdict);
  const metrics = createMetrics();
  const isHeld = Promise.withResolvers<void>();
  const observer = createMetricsObserver(metrics);
  const { judge } = setUpJudge(llm, { placesMax: 2, observer, reserveCall: () => isHeld.promise });
  const waiting = async () => Number(/^service_judge_calls_waiting (\d+)$/m.exec(await metrics.metrics())?.[1]);
  expect(await waiting()).toBe(0);

  const gone = new AbortController();
  const kept = Promise.all(Array.from({ length: 4 }, () => judge()));
  const givenUp = judge({}, {}, { signal: gone.signal });
  await vi.waitFor(async () => expect(await waiting()).toBe(3));
  gone.abort();
  await givenUp.catch(() => undefined);
  expect(await waiting()).toBe(2);
  isHeld.resolve();
  await kept;
  expect(await waiting()).toBe(0);
});

test("each call is observed with its outcome and duration", async () => {
  llm.enqueue({ kind: "status", status: 500 }, verdict);
  const { judge, clock, calls, verdicts } = setUpJudge(llm);
  await letTimePass(clock, judge());
  const provider = new URL(llm.baseUrl).host;
  expect(calls).toEqual([
    { provider, operation: "responses", outcome: "broken", durationMs: expect.any(Number) },
    { provider, operation: "responses", outcome: "answered", durationMs: expect.any(Number) },
  ]);
  expect(verdicts).toEqual([{ status: "scored", reason: null, durationMs: 500 }]);
});
