import type { SimilarityRequest, SimilarityScores } from "@touchstone/contracts";
import { type ComputePool, createComputePool, createLogger, createMetrics } from "@touchstone/service-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSimilarityScorer } from "../../src/scorers/similarity/score-similarity.ts";
import type { EmbedTexts } from "../../src/scorers/similarity/vector/embed-texts.ts";

const everything: SimilarityRequest = { jaccard: true, bleu: true, rouge: true, vector: { model: null } };

let threads: ComputePool;

beforeAll(() => {
  const logger = createLogger({ service: "judge", level: "silent" });
  threads = createComputePool({ name: "test", logger, metrics: createMetrics(), threadsMax: 2, queueMax: 64 });
});
afterAll(() => threads.stop());

function setUp(
  embed: EmbedTexts = async () => [
    [1, 0],
    [3, 4],
  ],
) {
  const bugs: unknown[] = [];
  const onBug = (err: unknown, metric: string) => void bugs.push([metric, err]);
  const scoreSimilarity = createSimilarityScorer({ embed, threads, onBug });
  const score = (
    candidate: string,
    reference: string | null,
    request = everything,
    { signal = new AbortController().signal, isReplay = false } = {},
  ): Promise<SimilarityScores> =>
    scoreSimilarity({
      request,
      candidate,
      reference,
      group: "g",
      signal,
      isReplay,
      deadlineAtMs: Number.POSITIVE_INFINITY,
    });
  return { score, bugs };
}

test("the answer has every requested metric and no other", async () => {
  const { score } = setUp();
  await expect(score("the cat sat", "the cat ran")).resolves.toEqual({
    jaccard: 0.5,
    bleu: expect.closeTo(((2 / 3) * (2 / 3) * (1 / 2)) ** (1 / 3), 12),
    rouge: expect.closeTo(2 / 3, 12),
    vector: 0.6,
  });
  await expect(score("a", "a", { jaccard: false, bleu: false, rouge: true, vector: null })).resolves.toEqual({
    rouge: 1,
  });
  await expect(score("a", "a", { jaccard: false, bleu: false, rouge: false, vector: null })).resolves.toEqual({});
});

test("a replay embeds nothing: its vector similarity is null, and the other metrics are computed", async () => {
  let embedded = 0;
  const { score } = setUp(async () => {
    embedded += 1;
    return [[1], [1]];
  });
  await expect(score("a", "a", everything, { isReplay: true })).resolves.toEqual({
    jaccard: 1,
    bleu: 1,
    rouge: 1,
    vector: null,
  });
  expect(embedded).toBe(0);
});

test("without an expected result, or with a text that has no tokens, every metric is null and nothing is embedded", async () => {
  let embedded = 0;
  const { score } = setUp(async () => {
    embedded += 1;
    return [[1], [1]];
  });
  const nothing = { jaccard: null, bleu: null, rouge: null, vector: null };
  await expect(score("a", null)).resolves.toEqual(nothing);
  await expect(score(" ", "a")).resolves.toEqual(nothing);
  await expect(score("a", "?!")).resolves.toEqual(nothing);
  expect(embedded).toBe(0);
});

test("without embeddings of the provider only the vector metric is null", async () => {
  const { score, bugs } = setUp(() => Promise.reject(new Error("no provider")));
  await expect(score("a b", "a b")).resolves.toEqual({ jaccard: 1, bleu: 1, rouge: 1, vector: null });
  expect(bugs).toEqual([]);
});

test("the model local-hash needs no provider", async () => {
  const { score } = setUp(() => Promise.reject(new Error("must not be asked")));
  const request = { jaccard: false, bleu: false, rouge: false, vector: { model: "local-hash" } };
  await expect(score("Tuesday", "tuesday", request)).resolves.toEqual({ vector: expect.closeTo(1, 12) });
});

test("a text over 1 MB is not compared", async () => {
  const { score } = setUp();
  await expect(score("a ".repeat(600_000), "a")).resolves.toEqual({
    jaccard: null,
    bleu: null,
    rouge: null,
    vector: null,
  });
});

test("after an abort unfinished metrics are null, and finished ones are kept", async () => {
  const stop = new AbortController();
  const { score, bugs } = setUp((_texts, _model, { signal }) => {
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const scoring = score("a b", "a b", everything, stop);
  // Long after everything else has finished, also on a busy machine.
  setTimeout(() => stop.abort(new Error("deadline")), 1_000);
  await expect(scoring).resolves.toEqual({ jaccard: 1, bleu: 1, rouge: 1, vector: null });
  expect(bugs).toEqual([]);
});

test("long texts are compared as short ones are, and aborted with their caller", async () => {
  // (ab)^n against (ba)^n: every token matches half of the other text, and all but one are common.
  const pairs = 30_000;
  const [candidate, reference] = ["a b ".repeat(pairs), "b a ".repeat(pairs)] as const;
  const request = { jaccard: true, bleu: true, rouge: true, vector: { model: "local-hash" } };
  const stop = new AbortController();
  const { score, bugs } = setUp();
  const nothing = { jaccard: null, bleu: null, rouge: null, vector: null };
  const givenUp = [score(candidate, reference, request, stop), score(candidate, reference, request, stop)];
  setImmediate(() => stop.abort(new Error("deadline")));
  await expect(Promise.all(givenUp)).resolves.toEqual([nothing, nothing]);
  await expect(score(candidate, reference, request)).resolves.toEqual({
    jaccard: 1,
    bleu: expect.closeTo(1, 4),
    rouge: (2 * pairs - 1) / (2 * pairs),
    vector: expect.closeTo(1, 12),
  });
  expect(bugs).toEqual([]);
});

test("long texts are not compared by the thread of the event loop", async () => {
  const words = Array.from({ length: 150_000 }, (_word, at) => `w${at % 7_919}`);
  const request = { jaccard: false, bleu: false, rouge: true, vector: null };
  const { score } = setUp();
  const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()];
  await expect(score(words.join(" "), words.toReversed().join(" "), request)).resolves.toEqual({
    rouge: expect.any(Number),
  });
  expect(process.threadCpuUsage(thread).user).toBeLessThan(process.cpuUsage(all).user / 2);
});

test("a long text without a word is compared with none", async () => {
  const { score } = setUp();
  await expect(score("-".repeat(200_000), "a")).resolves.toMatchObject({ jaccard: null, rouge: null, vector: null });
});
