import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { type LlmReply, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { letTimePass, setUpJudge } from "./judge-setup.ts";

let llm: ScriptedLlm;

beforeAll(async () => {
  llm = await startScriptedLlm();
});
beforeEach(() => llm.reset());
afterAll(() => llm.stop());

const verdict: LlmReply = { kind: "verdict", rating: 8, justification: "Good." };
const scored = { status: "scored", rating: 8 };

describe("a failure that passes", () => {
  test.each([408, 409, 429, 500, 502, 503, 529])(
    "with status %d is retried, after half a second and then a whole",
    async (status) => {
      llm.enqueue({ kind: "status", status }, { kind: "status", status }, verdict);
      const { judge, clock } = setUpJudge(llm);
      await expect(letTimePass(clock, judge())).resolves.toMatchObject(scored);
      expect(clock.sleeps.filter((ms) => ms > 0)).toEqual([500, 1_000]);
    },
  );

  test("with random jitter is retried sooner, but not before half the time", async () => {
    llm.enqueue({ kind: "status", status: 500 }, { kind: "status", status: 500 }, verdict);
    const { judge, clock } = setUpJudge(llm, { random: () => 0 });
    await expect(letTimePass(clock, judge())).resolves.toMatchObject(scored);
    expect(clock.sleeps).toEqual([250, 500]);
  });

  test("is tried three times and no more", async () => {
    llm.answerWith({ kind: "status", status: 503 });
    const { judge, clock } = setUpJudge(llm);
    await expect(letTimePass(clock, judge())).resolves.toMatchObject({
      status: "skipped",
      rating: null,
      reason: "provider_error",
      justification: "The judge provider failed (HTTP 503).",
    });
    expect(llm.requests).toHaveLength(3);
  });

  test.each<[string, LlmReply]>([
    ["before the answer", { kind: "reset" }],
    ["in the middle of it", { kind: "reset", afterHeaders: true }],
  ])("by a connection that breaks %s is retried", async (_, broken) => {
    llm.enqueue(broken, verdict);
    const { judge, clock } = setUpJudge(llm);
    await expect(letTimePass(clock, judge())).resolves.toMatchObject(scored);
    expect(llm.requests).toHaveLength(2);
  });

  test("without a listener is skipped as unreachable", async () => {
    const gone = await startScriptedLlm();
    await gone.stop();
    const { judge, clock } = setUpJudge(gone);
    await expect(letTimePass(clock, judge())).resolves.toMatchObject({
      reason: "provider_error",
      justification: "The judge provider cannot be reached.",
    });
  });
});

test("a provider whose name cannot be resolved is skipped as unreachable, after its retries", async () => {
  const { judge, clock, calls } = setUpJudge(llm, { baseUrl: "http://no-such-host.invalid/v1" });
  await expect(letTimePass(clock, judge())).resolves.toMatchObject({
    status: "skipped",
    reason: "provider_error",
    justification: "The judge provider cannot be reached.",
  });
  expect(calls.map(({ outcome }) => outcome)).toEqual(["unreachable", "unreachable", "unreachable"]);
});

describe("a provider that wants fewer calls", () => {
  const retryAfters: [header: number | string, sleepsMs: number][] = [
    [2, 2_000],
    [0.25, 250],
    ["Thu, 01 Jan 2026 00:00:03 GMT", 3_000],
    // More than 10 s is not waited for (completions 7.4).
    [60, 10_000],
    ["Fri, 02 Jan 2026 00:00:00 GMT", 10_000],
    ["nonsense", 500],
  ];
  test.each(retryAfters)("with Retry-After %j is left alone for %d ms", async (retryAfter, sleepMs) => {
    llm.enqueue({ kind: "status", status: 429, retryAfter }, verdict);
    const { judge, clock } = setUpJudge(llm);
    await expect(letTimePass(clock, judge())).resolves.toMatchObject(scored);
    expect(clock.sleeps).toEqual([sleepMs]);
  });

  test("is not called for any other result in the meantime", async () => {
    llm.enqueue({ kind: "status", status: 429, retryAfter: 5 });
    llm.answerWith(verdict);
    const { judge, clock } = setUpJudge(llm);
    const first = judge();
    await clock.waitForSleepers(1);
    const second = judge();
    await clock.waitForSleepers(2);
    await clock.advance(4_900);
    expect(llm.requests).toHaveLength(1);
    await letTimePass(clock, Promise.all([first, second]));
    expect(llm.requests).toHaveLength(3);
  });

  test("and whose quota for us is spent is not asked again", async () => {
    llm.answerWith({ kind: "status", status: 429, code: "insufficient_quota" });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({
      reason: "provider_error",
      justification: "The API key's quota at the judge provider is used up (HTTP 429, insufficient_quota).",
    });
    expect(llm.requests).toHaveLength(1);
  });

  test("past the deadline is not waited for, and the failure is the answer", async () => {
    llm.answerWith({ kind: "status", status: 429, retryAfter: 8 });
    const { judge, clock } = setUpJudge(llm);
    await expect(judge({}, {}, { deadlineAtMs: clock.now() + 5_000 })).resolves.toMatchObject({
      reason: "provider_error",
      justification: "The judge provider takes no more calls for now (HTTP 429).",
    });
    expect(clock.sleeps).toEqual([]);
  });
});

describe("a provider that keeps us waiting", () => {
  test.each<[string, LlmReply]>([
    ["says nothing", { kind: "silence" }],
    ["stops in the middle of its answer", { kind: "stall" }],
    ["stops in the middle of an error", { kind: "stall", status: 500 }],
    ["sends a byte now and then", { kind: "drip", everyMs: 20 }],
  ])("and %s is given up after the time of one call, and asked again", async (_, slow) => {
    llm.enqueue(slow, verdict);
    const { judge, clock } = setUpJudge(llm, { timeoutMs: 150 });
    await expect(letTimePass(clock, judge())).resolves.toMatchObject(scored);
    expect(llm.requests).toHaveLength(2);
  });

  test("every time is skipped as a timeout", async () => {
    llm.answerWith({ kind: "silence" });
    const { judge, clock } = setUpJudge(llm, { timeoutMs: 50 });
    await expect(letTimePass(clock, judge())).resolves.toMatchObject({
      status: "skipped",
      reason: "timeout",
      justification: "The judge provider did not answer within 0.05 s.",
    });
    expect(llm.requests).toHaveLength(3);
  });

  test("is let go the moment the result is no longer wanted", async () => {
    llm.answerWith({ kind: "silence" });
    const stop = new AbortController();
    const { judge, calls } = setUpJudge(llm);
    const judging = judge({}, {}, { signal: stop.signal });
    await expect.poll(() => llm.inFlight()).toBe(1);
    stop.abort(new Error("deadline"));
    await expect(judging).resolves.toMatchObject({
      reason: "timeout",
      justification: "The judge did not answer in time.",
    });
    await expect.poll(() => llm.inFlight()).toBe(0);
    expect(calls.map((call) => call.outcome)).toEqual(["aborted"]);
  });
});

describe("an answer that is no verdict", () => {
  test("and is followed by one is as good as the second", async () => {
    llm.enqueue({ kind: "text", text: "about 7, I think" }, verdict);
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject(scored);
  });

  test("because it is invalid UTF-8 is skipped as unparseable", async () => {
    llm.answerWith({ kind: "raw", body: Uint8Array.of(0xff, 0xfe, 0x80) });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({ status: "skipped", reason: "unparseable" });
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("may be compressed as %s, though that was not requested", async (encoding, compress) => {
    const body = compress(JSON.stringify({ output_text: '{"rating": 8}' }));
    llm.answerWith({ kind: "raw", body, headers: { "content-encoding": encoding } });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject(scored);
  });

  test("because it is not compressed as it says is a broken connection", async () => {
    llm.answerWith({ kind: "raw", body: '{"output_text": "{}"}', headers: { "content-encoding": "br" } });
    await expect(setUpJudge(llm, { retriesMax: 0 }).judge()).resolves.toMatchObject({
      reason: "provider_error",
      justification: "The connection to the judge provider broke.",
    });
  });
});

describe("an answer larger than 1 MB", () => {
  const tooLarge = {
    status: "skipped",
    reason: "provider_error",
    justification: "The judge provider's answer is longer than 1 MB.",
  };
  const huge = JSON.stringify({ output_text: `{"rating": 9, "justification": "${"x".repeat(1024 * 1024)}"}` });

  test("is cut off and not asked for again", async () => {
    llm.answerWith({ kind: "raw", body: huge });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject(tooLarge);
    expect(llm.requests).toHaveLength(1);
  });

  test("is measured after decompression, so that a bomb of a hundred megabytes is never held", async () => {
    const body = gzipSync(Buffer.alloc(100 * 1024 * 1024, "x"));
    llm.answerWith({ kind: "raw", body, headers: { "content-encoding": "gzip" } });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject(tooLarge);
  });

  test("is not read as an error's body either", async () => {
    llm.answerWith({ kind: "raw", status: 400, body: huge });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({ status: "skipped", reason: "provider_error" });
  });
});

test.each([301, 302, 303, 307, 308])(
  "a redirect (%d) is not followed, so the key and the prompt go nowhere else",
  async (status) => {
    const elsewhere = await startScriptedLlm();
    llm.answerWith({ kind: "status", status, headers: { location: `${elsewhere.baseUrl}/responses` } });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({
      reason: "provider_error",
      justification: `The judge provider answered with a redirect (HTTP ${status}); none is followed.`,
    });
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  },
);

test.each([400, 401, 403])("a refused key (%d) is reported as one, and is not tried again", async (status) => {
  llm.answerWith({ kind: "status", status, code: "invalid_api_key" });
  await expect(setUpJudge(llm).judge()).resolves.toMatchObject({
    reason: "provider_error",
    justification: `The judge provider refused the API key (HTTP ${status}, invalid_api_key).`,
  });
  expect(llm.requests).toHaveLength(1);
});

const googleError = {
  code: 400,
  message: "API key not valid. Please pass a valid API key.",
  status: "INVALID_ARGUMENT",
};
test.each([
  ["Google", { error: googleError }],
  ["Google, in a list", [{ error: googleError }]],
  ["xAI", { code: "Client specified an invalid argument", error: "Incorrect API key provided: sk***gA." }],
  ["xAI, escaped", { code: "invalid-argument", error: "Incorrect%20API%20key%20provided" }],
])("a key refused with 400 (%s) is reported as one, and is not tried again", async (_, body) => {
  llm.answerWith({ kind: "status", status: 400, body });
  await expect(setUpJudge(llm).judge()).resolves.toMatchObject({
    reason: "provider_error",
    justification: "The judge provider refused the API key (HTTP 400).",
  });
  expect(llm.requests).toHaveLength(1);
});
