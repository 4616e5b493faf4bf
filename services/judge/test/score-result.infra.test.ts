import { type JudgeRubric, scoreResult } from "@touchstone/contracts";
import type { LlmReply } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { benchKey, benchProject, type JudgeBench, openJudgeBench, type ScoreBody } from "./judge-bench.ts";
import { buildCase, buildRubric } from "./judge-builders.ts";

const verdict: LlmReply = { kind: "verdict", rating: 8, justification: "Good." };

let bench: JudgeBench;
const startJudge: JudgeBench["startJudge"] = (environment) => bench.startJudge(environment);
const ask: JudgeBench["ask"] = (body, timeoutMs) => bench.ask(body, timeoutMs);

beforeAll(async () => {
  bench = await openJudgeBench();
});
afterEach(() => bench.clear());
afterAll(() => bench.stop());

describe("a result", () => {
  test("is judged by every rubric and compared by every metric, verdicts in the order asked", async () => {
    await startJudge();
    bench.llm.answerWith(({ prompt }) =>
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
          source: "live",
          verdictId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
        {
          judgeId: "tone",
          status: "scored",
          rating: 2,
          justification: "Rude.",
          reason: null,
          model: "gpt-4.1",
          durationMs: expect.any(Number),
          source: "live",
          verdictId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ],
      similarity: { jaccard: 1, bleu: 1, rouge: 1, vector: expect.closeTo(1, 9) },
      group: null,
      deterministic: [],
    });
  });

  test("graded by a group is rated by the weights of its judges, and 0 when a gate fails", async () => {
    await startJudge();
    const ratings: Record<string, number> = { facts: 8, tone: 2, safety: 10 };
    bench.llm.answerWith(({ model }) => ({ kind: "verdict", rating: ratings[model ?? ""] }));
    const judges = Object.keys(ratings).map((name) => buildRubric({ id: `id of ${name}`, model: name }));
    const members = Object.keys(ratings).map((name) => ({
      kind: "judge" as const,
      refId: `id of ${name}`,
      name,
      weight: 1,
      gate: false,
    }));

    // (0.8 + 0.2 + 1.0) / 3 = 0.667
    const open = await ask({ judges, group: { name: "All of it", members } });
    const gated = members.map((member) => (member.name === "tone" ? { ...member, weight: 0, gate: true } : member));
    const closed = await ask({ judges, group: { name: "All of it", members: gated } });
    const unasked = await ask({ judges: judges.slice(1), group: { name: "All of it", members: gated.toReversed() } });

    expect(open.group).toMatchObject({ rating: 6.7, reason: null, gatedBy: null });
    expect(closed.group).toEqual({
      rating: 0,
      justification: 'Gated to 0 by "tone" (must-pass member failed).',
      reason: null,
      gatedBy: "tone",
    });
    expect(closed.verdicts).toMatchObject([{ rating: 8 }, { rating: 2 }, { rating: 10 }]);
    expect(unasked.group).toMatchObject({ rating: 0, gatedBy: "tone" });
  });

  test("graded by a group whose must-pass judge could not rate has no score", async () => {
    await startJudge({ SERVICE_JUDGE_RETRIES: "0" });
    bench.llm.answerWith(({ model }) => (model === "broken" ? { kind: "status", status: 503 } : verdict));
    const member = { kind: "judge" as const, weight: 1, gate: false };
    const reply = await ask({
      judges: [buildRubric({ id: "a" }), buildRubric({ id: "b", model: "broken" })],
      group: {
        name: "Both",
        members: [
          { ...member, refId: "a", name: "A" },
          { ...member, refId: "b", name: "B", gate: true },
        ],
      },
    });
    expect(reply.group).toEqual({
      rating: null,
      justification: 'No score: the must-pass member "B" gave none. The judge provider failed (HTTP 503).',
      reason: "gate_unrated",
      gatedBy: null,
    });
  });

  test("keeps its metrics when the judge fails, and its other verdicts when one of them does", async () => {
    await startJudge({ SERVICE_JUDGE_RETRIES: "0" });
    bench.llm.answerWith(({ model }) => (model === "broken" ? { kind: "status", status: 503 } : verdict));
    bench.llm.embedWith({ kind: "status", status: 503 });

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
    expect(bench.llm.requests.map((request) => request.api)).toEqual(["embeddings"]);
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
  test("verdicts are skipped with the missing setting as the reason; metrics that need no provider are computed", async () => {
    const { service } = await startJudge({ OPENAI_API_KEY: "", OPENAI_BASE_URL: "" });
    const reply = await ask({ judges: [buildRubric(), buildRubric({ id: "second", model: "gpt-4.1" })] });
    expect(reply.verdicts).toMatchObject([
      {
        status: "skipped",
        rating: null,
        reason: "no_key",
        justification:
          'Judge model "gpt-5.6-luna" needs a OpenAI API key. Set OPENAI_API_KEY (or add it under provider keys).',
      },
      {
        reason: "no_key",
        justification:
          'Judge model "gpt-4.1" needs a OpenAI API key. Set OPENAI_API_KEY (or add it under provider keys).',
      },
    ]);
    expect(reply.similarity).toEqual({ jaccard: 1, bleu: 1, rouge: 1, vector: null });
    await expect(service.readiness()).resolves.toEqual({
      ready: true,
      checks: { bus: "ok", schema: "ok", clock: "ok", database: "ok", provider: "no key", events: "ok" },
    });
  });

  test("an endpoint of the operator's own is asked all the same", async () => {
    await startJudge({ OPENAI_API_KEY: "" });
    await expect(ask()).resolves.toMatchObject({ verdicts: [{ status: "scored" }] });
    expect(bench.llm.requests.map((request) => request.api).sort()).toEqual(["chat", "embeddings"]);
  });
});

describe("the deadline", () => {
  test("returns the verdicts that are finished in time, and the rest skipped as a timeout", async () => {
    await startJudge();
    bench.llm.answerWith(({ model }) => (model === "slow" ? { kind: "silence" } : verdict));
    bench.llm.embedWith({ kind: "silence" });

    const reply = await ask({ judges: [buildRubric({ model: "slow" }), buildRubric({ id: "second" })] }, 2_000);

    expect(reply.verdicts).toMatchObject([
      { status: "skipped", rating: null, reason: "timeout", justification: "The judge did not answer in time." },
      { status: "scored", rating: 8 },
    ]);
    expect(reply.similarity).toEqual({ jaccard: 1, bleu: 1, rouge: 1, vector: null });
  });

  test("is not needed when the requester gives up: the provider is let go at once", async () => {
    await startJudge();
    bench.llm.answerWith({ kind: "silence" });
    const giveUp = new AbortController();
    const body: ScoreBody = {
      projectId: benchProject,
      judges: [buildRubric()],
      case: buildCase(),
      similarity: { jaccard: false, bleu: false, rouge: false, vector: null },
    };
    const asking = bench.asker.request(scoreResult, body, { timeoutMs: 30_000, signal: giveUp.signal });
    await expect.poll(() => bench.llm.inFlight()).toBe(1);
    giveUp.abort(new Error("gone"));
    await expect(asking).rejects.toThrow();
    await expect.poll(() => bench.llm.inFlight()).toBe(0);
  });
});

test("any number of results come back judged, with at most the allowed calls at once", async () => {
  await startJudge({ SERVICE_JUDGE_CONCURRENCY: "6" });
  // On a busy machine short answers may never overlap.
  bench.llm.answerWith(() => ({ ...verdict, delayMs: bench.llm.inFlightMax() < 6 ? 1_000 : 20 }));
  // Embeddings have places of their own.
  const similarity = { jaccard: true, bleu: true, rouge: true, vector: null };
  const replies = await Promise.all(Array.from({ length: 60 }, () => ask({ similarity })));
  expect(replies.every((reply) => reply.verdicts[0]?.status === "scored")).toBe(true);
  expect(bench.llm.inFlightMax()).toBe(6);
});

test("the key is in no log line, and neither is anything that was judged", async () => {
  const { log } = await startJudge({ SERVICE_JUDGE_RETRIES: "0", SERVICE_LOG_LEVEL: "trace" });
  bench.llm.enqueue(
    { kind: "status", status: 401, message: `bad key ${benchKey}` },
    { kind: "raw", body: benchKey },
    verdict,
  );
  for (let result = 0; result < 3; result += 1) await ask({ case: buildCase({ output: "canary-output" }) });
  expect(log()).toContain("bus request answered");
  expect(log()).not.toContain(benchKey);
  expect(log()).not.toContain("canary-output");
});

test("calls and verdicts are counted, by provider and outcome and by nothing that tells of a tenant", async () => {
  const { metrics } = await startJudge({ SERVICE_JUDGE_RETRIES: "0" });
  bench.llm.enqueue({ kind: "status", status: 503 }, verdict);
  await ask();
  await ask();
  const text = await metrics.metrics();
  const provider = new URL(bench.llm.baseUrl).host;
  expect(text).toContain(`service_judge_calls_total{provider="${provider}",operation="chat",outcome="broken"} 1`);
  expect(text).toContain(`service_judge_calls_total{provider="${provider}",operation="chat",outcome="answered"} 1`);
  expect(text).toContain(
    `service_judge_calls_total{provider="${provider}",operation="embeddings",outcome="answered"} 2`,
  );
  expect(text).toContain(`service_judge_circuit_open{provider="${provider}"} 0`);
  expect(text).toContain('service_judge_verdicts_total{status="scored",reason=""} 1');
  expect(text).toContain('service_judge_verdicts_total{status="skipped",reason="provider_error"} 1');
  expect(text).not.toContain("01999999");
});

test("a judge whose bus is unavailable is not ready, and is again when it is back", async () => {
  const { service } = await startJudge();
  await bench.nats.kill("SIGKILL");
  await expect.poll(async () => (await service.readiness()).ready).toBe(false);
  await bench.nats.restart();
  await expect.poll(async () => (await service.readiness()).ready).toBe(true);
  // The caller has a separate connection, which returns independently.
  await expect.poll(() => ask().catch(() => null)).toMatchObject({ verdicts: [{ status: "scored" }] });
});
