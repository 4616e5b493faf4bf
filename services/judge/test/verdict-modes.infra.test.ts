import type { JudgedCase, JudgeRubric } from "@touchstone/contracts";
import { findFreePort } from "@touchstone/testkit";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type JudgeBench, openJudgeBench, type ScoreBody } from "./judge-bench.ts";
import { buildCase, buildRubric } from "./judge-builders.ts";

const noMetrics = { jaccard: false, bleu: false, rouge: false, vector: null };
const noProvider = { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" };
const otherProject = "01999999-0000-7000-8000-000000000002";
const organization = "01999999-0000-7000-8000-0000000000aa";

let bench: JudgeBench;

beforeAll(async () => {
  bench = await openJudgeBench();
});
afterEach(() => bench.clear());
afterAll(() => bench.stop());

/** The only verdict of a result. */
async function judge(body: Partial<ScoreBody>) {
  const [verdict] = (await bench.ask({ similarity: noMetrics, ...body })).verdicts;
  return verdict;
}

/** Rates each prompt differently, and the same prompt differently each time. */
function rateByChance(): void {
  let calls = 0;
  bench.llm.answerWith(() => {
    calls += 1;
    return { kind: "verdict", rating: (calls * 7) % 11, justification: `Call ${calls}.` };
  });
}

describe("a replay", () => {
  test("returns the live verdict for any request, without calling a provider; anything else is a miss", async () => {
    await bench.startJudge();
    rateByChance();
    const text = fc.string({ unit: "binary", maxLength: 20 });
    const cases = fc.record({
      rubric: fc.record({
        acceptanceCriteria: fc.option(text),
        judgePrompt: fc.option(fc.constant("{input} {output}")),
      }),
      judged: fc.record({ input: text, output: text, expected: fc.option(text), context: fc.option(text) }),
      runNumber: fc.integer({ min: -3, max: 1_000 }),
    });
    let example = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ rubric, judged, runNumber }) => {
        example += 1;
        const unique = { guideline: `example ${example}` };
        const asked = { judges: [buildRubric(rubric)], case: buildCase({ ...judged, ...unique }), runNumber };
        const live = await judge(asked);
        expect(live).toMatchObject({ status: "scored", source: "live" });
        const requests = bench.llm.requests.length;

        const named = buildRubric({ ...rubric, id: "another id", name: "Another name" });
        const replayed = await judge({ ...asked, judges: [named], verdictMode: "replay" });
        expect(replayed).toMatchObject({
          judgeId: "another id",
          status: "scored",
          rating: live?.rating,
          justification: live?.justification,
          source: "replay",
        });

        const changes: Partial<ScoreBody>[] = [
          { runNumber: runNumber + 1 },
          { judges: [buildRubric({ ...rubric, model: "gpt-4.1" })] },
          { judges: [buildRubric({ ...rubric, rejectionCriteria: "Rude." })] },
          { case: buildCase({ ...judged, ...unique, input: `${judged.input}!` }) },
          { case: buildCase({ ...judged, ...unique, output: `${judged.output}!` }) },
          { case: buildCase({ ...judged, ...unique, expected: `${judged.expected ?? ""}!` }) },
        ];
        for (const verdict of await Promise.all(
          changes.map((change) => judge({ ...asked, ...change, verdictMode: "replay" })),
        )) {
          expect(verdict).toMatchObject({
            status: "skipped",
            rating: null,
            reason: "replay_miss",
            justification: "No stored verdict matches this case, and a replay asks no judge.",
            source: null,
          });
        }
        expect(bench.llm.requests).toHaveLength(requests);
      }),
      { numRuns: 10 },
    );
  });

  test("needs no key, and the address of the endpoint only as far as it was judged there", async () => {
    await bench.startJudge({ ...noProvider, GEMINI_BASE_URL: bench.llm.baseUrl });
    const asked = { judges: [buildRubric({ model: "gemini-2.5-pro" })] };
    const live = await judge(asked);
    expect(live).toMatchObject({ status: "scored", source: "live" });
    await bench.stopJudges();
    await bench.startJudge({ ...noProvider, GEMINI_BASE_URL: bench.llm.baseUrl, SERVICE_JUDGE_RETRIES: "0" });
    bench.llm.answerWith({ kind: "reset" });
    await expect(judge({ ...asked, verdictMode: "replay" })).resolves.toMatchObject({ rating: live?.rating });
    await bench.clear();
    await bench.startJudge(noProvider);
    await expect(judge({ ...asked, verdictMode: "replay" })).resolves.toMatchObject({ reason: "replay_miss" });
  });

  test("finds nothing of another project, and everything of its own organization", async () => {
    await bench.startJudge();
    const ofProject = { case: buildCase({ input: "whose verdict is this?" }) };
    await judge(ofProject);
    const elsewhere = { ...ofProject, projectId: otherProject, verdictMode: "replay" } as const;
    await expect(judge(elsewhere)).resolves.toMatchObject({ reason: "replay_miss" });
    await judge({ ...ofProject, organizationId: organization });
    await expect(judge({ ...elsewhere, organizationId: organization })).resolves.toMatchObject({ source: "replay" });
  });

  test("of a case that was skipped is a miss: only ratings are kept", async () => {
    await bench.startJudge({ SERVICE_JUDGE_RETRIES: "0" });
    bench.llm.answerWith({ kind: "status", status: 503 });
    const asked = { case: buildCase({ input: "skipped" }) };
    await expect(judge(asked)).resolves.toMatchObject({ status: "skipped", source: null });
    await expect(judge({ ...asked, verdictMode: "replay" })).resolves.toMatchObject({ reason: "replay_miss" });
  });
});

describe("a cached verdict", () => {
  test("is asked for once, by however many wait for it, and kept", async () => {
    const { metrics } = await bench.startJudge();
    bench.llm.answerWith({ kind: "verdict", rating: 4, justification: "Half.", delayMs: 50 });
    const asked = { case: buildCase({ input: "asked at once" }), verdictMode: "cache" } as const;
    const verdicts = await Promise.all(Array.from({ length: 12 }, () => judge(asked)));
    expect(verdicts.map((verdict) => verdict?.rating)).toEqual(Array(12).fill(4));
    expect(verdicts.map((verdict) => verdict?.source).sort()).toEqual([...Array(11).fill("cache"), "live"]);
    await expect(judge(asked)).resolves.toMatchObject({ rating: 4, source: "cache" });
    expect(bench.llm.requests).toHaveLength(1);
    const text = await metrics.metrics();
    expect(text).toContain('service_judge_verdict_lookups_total{mode="cache",outcome="miss"} 1');
    expect(text).toContain('service_judge_verdict_lookups_total{mode="cache",outcome="hit"} 1');
  });

  test("is the first live one, and a later live one does not replace it", async () => {
    await bench.startJudge();
    rateByChance();
    const asked = { case: buildCase({ input: "judged twice" }) };
    const [first, second] = [await judge(asked), await judge(asked)];
    expect(second?.rating).not.toBe(first?.rating);
    await expect(judge({ ...asked, verdictMode: "cache" })).resolves.toMatchObject({
      rating: first?.rating,
      justification: first?.justification,
    });
  });
});

describe("each provider", () => {
  const models: Partial<JudgeRubric>[] = ["gpt-5.6-luna", "gemini-2.5-pro", "claude-sonnet-5"].map((model) => ({
    id: model,
    model,
  }));

  test("is called with its own key for its own models, and one that fails does not affect the others", async () => {
    await bench.startJudge({
      GEMINI_API_KEY: "gemini-key-0123456789",
      GEMINI_BASE_URL: bench.llm.baseUrl,
      ANTHROPIC_API_KEY: "anthropic-key-0123456789",
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${await findFreePort()}/v1`,
      SERVICE_JUDGE_RETRIES: "0",
    });
    const judged: JudgedCase = buildCase({ input: "by three" });
    const { verdicts } = await bench.ask({ judges: models.map(buildRubric), case: judged, similarity: noMetrics });
    expect(verdicts).toMatchObject([
      { status: "scored" },
      { status: "scored" },
      { status: "skipped", reason: "provider_error" },
    ]);
    expect(new Set(bench.llm.requests.map(({ keyHash }) => keyHash)).size).toBe(2);
    expect(bench.llm.requests.map(({ model }) => model).sort()).toEqual(["gemini-2.5-pro", "gpt-5.6-luna"]);
  });

  test("without a key the reason names the missing one", async () => {
    await bench.startJudge(noProvider);
    const { verdicts } = await bench.ask({ judges: models.map(buildRubric), similarity: noMetrics });
    expect(verdicts.map(({ reason, justification }) => `${reason}: ${justification}`)).toEqual([
      'no_key: Judge model "gpt-5.6-luna" needs a OpenAI API key. Set OPENAI_API_KEY (or add it under provider keys).',
      'no_key: Judge model "gemini-2.5-pro" needs a Gemini API key. Set GEMINI_API_KEY (or add it under provider keys).',
      'no_key: Judge model "claude-sonnet-5" needs a Anthropic API key. Set ANTHROPIC_API_KEY (or add it under provider keys).',
    ]);
  });
});

test("without PostgreSQL live and cached runs are judged all the same; a replay reports the reason", async () => {
  const { service, metrics } = await bench.startJudge({
    SERVICE_DB_URL: `postgres://nobody@127.0.0.1:${await findFreePort()}/touchstone`,
  });
  for (const verdictMode of ["live", "cache"] as const) {
    await expect(judge({ verdictMode })).resolves.toMatchObject({ status: "scored", rating: 7, source: "live" });
  }
  await expect(judge({ verdictMode: "replay" })).resolves.toMatchObject({
    status: "skipped",
    reason: "provider_error",
    justification: "The stored verdicts cannot be read at the moment, and a replay asks no judge.",
  });
  const { ready, checks } = await service.readiness();
  expect(ready).toBe(true);
  expect(checks.database).not.toBe("ok");
  expect(checks.schema).not.toBe("ok");
  expect(await metrics.metrics()).toContain("service_judge_verdicts_not_stored_total 2");
});
