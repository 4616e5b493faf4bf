import { once } from "node:events";
import { writeAnalysis } from "@touchstone/contracts";
import { runAtOnce } from "@touchstone/service-kit";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { estimateRatingInterval } from "../src/statistics/rating-interval.ts";
import { createCiClient } from "./ci-client.ts";
import { rate } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { type GivenResult, justificationOf, storeResults } from "./stored-results.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

let client: ProjectClient;
let datasetId: string;

const system = useTestSystem();
const judge = useJudge(system);

beforeAll(async () => {
  const written = { narrative: null, failure: { reason: "no_key" as const, message: "It needs a key." } };
  await judge.bus.answer(writeAnalysis, async () => written, { concurrency: 8 });
});

const running = useService(system);

beforeEach(async () => {
  judge.behave(() => rate(7));
  judge.asked.length = 0;
  client = createProjectClient(running.address);
  datasetId = await client.createDataset({ name: "Orders" });
});

const store = (runId: string, given: readonly GivenResult[], projectId = client.projectId) =>
  storeResults(system, { projectId, runId }, given);

const plainly: GivenResult = {
  questionIndex: 0,
  runNumber: 1,
  isVariant: false,
  status: "scored",
  rating: 7,
  judges: null,
  output: "On Tuesday.",
};

describe("however many results a run has and however large they are", () => {
  test("its answers equal plain arithmetic over all results", { timeout: 120_000 }, async () => {
    const judges = await Promise.all(
      ["First", "Second"].map(
        async (name) => (await client.send("POST", "/evaluation-settings", { name })).body._id as string,
      ),
    );
    await fc.assert(
      fc.asyncProperty(anyRun(judges), anyRun(judges), async (ofOneJudge, ofSeveral) => {
        const oneId = await client.createRun(datasetId);
        const severalId = await client.createRun(datasetId, { additionalScorerIds: judges });
        await Promise.all([store(oneId, ofOneJudge), store(severalId, ofSeveral)]);

        await expectPlainAnswers(oneId, inOrderOfRun(ofOneJudge), []);
        await expectPlainAnswers(severalId, inOrderOfRun(ofSeveral), judges);
        const query = `baseline=${oneId}&candidate=${severalId}`;
        const { body } = await client.sendTo("GET", `/api/v1/evaluate/runs/compare?${query}`);
        expect(body.cases).toMatchObject(comparePlainly(inOrderOfRun(ofOneJudge), inOrderOfRun(ofSeveral)));
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });

  test("skipped ones are rescored page by page, each once", async () => {
    const runId = await client.createRun(datasetId);
    const skipped: GivenResult = { ...plainly, status: "skipped", rating: null };
    await store(
      runId,
      Array.from({ length: 620 }, (_, index) => ({
        ...(index % 3 === 0 ? plainly : skipped),
        questionIndex: index,
        output: `Answer ${index}`,
      })),
    );
    judge.behave(() => rate(4));

    const { body } = await client.send("POST", `/runs/${runId}/rescore`);

    expect(body).toMatchObject({ rescored: 413, stillSkipped: 0, remaining: 0 });
    expect(new Set(judge.asked.map(({ case: { output } }) => output)).size).toBe(413);
    expect(judge.asked).toHaveLength(413);
    const { results, liveStatistics } = await client.readRun(runId);
    expect(liveStatistics).toMatchObject({ ratedCount: 620, skippedCount: 0 });
    expect(results.map(({ output }: { output: { text: string } }) => output.text)).toEqual(
      Array.from({ length: 620 }, (_, index) => `Answer ${index}`),
    );
  });

  test("a pipeline's verdict is over all of them, and shows them by question", async () => {
    const ci = createCiClient(running.address);
    const runId = await ci.startRun({ passRateThreshold: 0.5 }, {}, 600);
    const ratings = Array.from({ length: 599 }, (_, index) => index % 10);
    await store(
      runId,
      ratings.map((rating, questionIndex) => ({ ...plainly, questionIndex, rating })),
      ci.projectId,
    );

    const { body } = await ci.finalizeCi(runId);

    const passed = ratings.filter((rating) => rating >= 5).length;
    expect(body).toMatchObject({ gate: "fail", results_submitted: 599, passed_questions: passed });
    expect(body.violations).toHaveLength(600 - passed);
    expect(body.scores.map((score: { rating: number; passed: boolean }) => [score.rating, score.passed])).toEqual(
      ratings.map((rating) => [rating, rating >= 5]),
    );
  });
});

describe("a run that changes while a slow reader reads it", () => {
  /** More than the connection buffers before its reader reads. */
  const large = (more: Partial<GivenResult> = {}): GivenResult[] =>
    Array.from({ length: 300 }, (_, index) => ({
      ...plainly,
      ...more,
      questionIndex: index,
      output: `${index} ${"x".repeat(100_000)}`,
    }));

  test("and is deleted breaks off: what arrived does not look like a whole run", async () => {
    const runId = await client.createRun(datasetId);
    await store(runId, large());
    const reading = await readSlowly(runId);
    expect((await client.send("DELETE", `/runs/${runId}`)).status).toBe(200);
    await expect(reading.finish()).rejects.toThrow();
  });

  test("and is rescored has the statistics of the rows that are in the answer", async () => {
    const runId = await client.createRun(datasetId);
    await store(runId, large({ status: "skipped", rating: null }));
    const reading = await readSlowly(runId);
    expect((await client.send("POST", `/runs/${runId}/rescore`)).body).toMatchObject({ rescored: 300 });

    const run = JSON.parse(await reading.finish());

    const rated = run.results.filter(({ rating }: { rating: number | null }) => rating !== null);
    expect(run.results).toHaveLength(300);
    expect(rated.length).toBeGreaterThan(0);
    expect(rated.length).toBeLessThan(300);
    expect(run.liveStatistics).toMatchObject({ ratedCount: rated.length, skippedCount: 300 - rated.length });
  });

  /** The beginning of the answer has come; the rest is read when the test says. */
  async function readSlowly(runId: string): Promise<{ finish(): Promise<string> }> {
    const answer = await client.open(`/runs/${runId}`);
    expect(answer.statusCode).toBe(200);
    await once(answer, "readable");
    return {
      async finish() {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
      },
    };
  }
});

async function expectPlainAnswers(runId: string, given: readonly Placed[], judges: readonly string[]): Promise<void> {
  const plain = describePlainly(given);
  const { results, smokeTestVariants, skips, metrics, ...summary } = await client.readRun(runId);
  expect(results.map(({ justification }: { justification: string }) => justification)).toEqual(
    given.map(({ place }) => justificationOf(place)),
  );
  expect(results.map(({ output }: { output: { text: string } }) => output.text.length)).toEqual(
    given.map(({ output }) => output.length),
  );
  expect(summary).toMatchObject(plain.summary);
  expect(summary.scorerBreakdown?.map(({ averageRating }: Averaged) => averageRating) ?? null).toEqual(
    judges.length === 0 ? null : [null, ...judges].map((id) => averageOf(given, id)),
  );
  expect({ skips, metrics }).toMatchObject({ metrics: [] });
  expect(summary.ratingInterval).toEqual(runAtOnce(estimateRatingInterval(plain.caseRatings, runId)));
  const { runs } = (await client.send("GET", "/runs")).body;
  expect(runs.find((listed: { runId: string }) => listed.runId === runId)).toEqual(summary);

  await client.send("POST", `/runs/${runId}/analyze`);
  expect((await client.send("GET", `/runs/${runId}/report`)).body).toMatchObject(reportPlainly(given));
  for (const id of [null, ...judges]) {
    const query = `failUnder=5${id === null ? "" : `&scorer=${id}`}`;
    expect((await client.send("GET", `/runs/${runId}/gate?${query}`)).body).toMatchObject({
      averageRating: rounded(averageOf(given, id), 100),
      resultCount: given.length,
    });
  }
}

type Placed = GivenResult & { place: number };
type Averaged = { averageRating: number | null };

/** Repetitions, variants, skipped and failed ones, texts with NULs, now and then one of a megabyte; up to three pages. */
function anyRun(judges: readonly string[]): fc.Arbitrary<GivenResult[]> {
  const rating = fc.oneof(fc.integer({ min: 0, max: 10 }), fc.constantFrom(0.1, 4.9, 5, 7.3, 1 / 3, 20 / 3));
  const result = fc
    .record({
      questionIndex: fc.option(fc.nat(60), { freq: 20 }),
      runNumber: fc.integer({ min: 1, max: 3 }),
      isVariant: fc.nat(5).map((drawn) => drawn === 0),
      status: fc.constantFrom("scored", "scored", "scored", "skipped", "failed"),
      rating,
      judges: fc.tuple(fc.option(rating), fc.option(rating)),
      output: fc.oneof(
        { weight: 200, arbitrary: fc.constantFrom("", "yes", "nul \u0000", "é\ud83d\ude00") },
        { weight: 1, arbitrary: fc.constant("z".repeat(1_500_000)) },
      ),
    })
    .map(
      ({ judges: said, ...drawn }): GivenResult => ({
        ...drawn,
        status: drawn.status as GivenResult["status"],
        rating: drawn.status === "skipped" ? null : drawn.status === "failed" ? 0 : drawn.rating,
        judges: Object.fromEntries(judges.map((id, index) => [id, said[index] ?? null])),
      }),
    );
  return fc.oneof(
    { weight: 1, arbitrary: fc.array(result, { maxLength: 20 }) },
    { weight: 3, arbitrary: fc.array(result, { minLength: 200, maxLength: 620, size: "max" }) },
  );
}

const last = (value: number | null): number => value ?? Number.POSITIVE_INFINITY;

function inOrderOfRun(given: readonly GivenResult[]): Placed[] {
  return given
    .map((result, place) => ({ ...result, place }))
    .sort(
      (one, other) =>
        (one.questionIndex === other.questionIndex ? 0 : last(one.questionIndex) - last(other.questionIndex)) ||
        one.runNumber - other.runNumber ||
        Number(one.isVariant) - Number(other.isVariant) ||
        one.place - other.place,
    );
}

const ratedOf = (results: readonly Placed[]) =>
  results.flatMap((result) =>
    result.isVariant || result.rating === null ? [] : [{ ...result, rating: result.rating }],
  );

/** The sum by value, ascending, as often as there are such; never beyond the least and the greatest. */
function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  let sum = 0;
  for (const value of new Set(sorted)) sum += value * sorted.filter((each) => each === value).length;
  return Math.min(sorted.at(-1) as number, Math.max(sorted[0] as number, sum / sorted.length));
}

const inTurn = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** By a judge, or by the run's own ratings. */
function averageOf(results: readonly Placed[], scorerId: string | null): number | null {
  if (scorerId === null) return meanOf(ratedOf(results).map(({ rating }) => rating));
  return meanOf(
    results.flatMap(({ isVariant, status, judges }) => {
      const said = status === "failed" ? 0 : (judges?.[scorerId] ?? null);
      return isVariant || said === null ? [] : [said];
    }),
  );
}

function describePlainly(results: readonly Placed[]) {
  const rated = ratedOf(results);
  const ratings = rated.map(({ rating }) => rating);
  const originals = results.filter(({ isVariant }) => !isVariant);
  const indexes = [...new Set(rated.flatMap(({ questionIndex }) => (questionIndex === null ? [] : [questionIndex])))];
  const cases = indexes.map((questionIndex) => ({
    questionIndex,
    ratings: rated.filter((result) => result.questionIndex === questionIndex).map(({ rating }) => rating),
  }));
  const averageRating = meanOf(ratings);
  return {
    summary: {
      resultCount: results.length,
      averageRating,
      liveStatistics: {
        averageRating,
        minRating: ratings.length === 0 ? null : Math.min(...ratings),
        maxRating: ratings.length === 0 ? null : Math.max(...ratings),
        ratedCount: ratings.length,
        skippedCount: originals.length - ratings.length,
        failedCount: originals.filter(({ status }) => status === "failed").length,
      },
      caseStatistics: cases
        .filter((each) => each.ratings.length > 1)
        .map((each) => {
          const average = meanOf(each.ratings) as number;
          return {
            questionIndex: each.questionIndex,
            ratedCount: each.ratings.length,
            averageRating: average,
            minRating: Math.min(...each.ratings),
            maxRating: Math.max(...each.ratings),
            ratingVariance: expect.closeTo(meanOf(each.ratings.map((rating) => (rating - average) ** 2)) as number, 9),
          };
        }),
    },
    caseRatings: [
      ...cases.map((each) => byValue(each.ratings)),
      ...rated.filter(({ questionIndex }) => questionIndex === null).map(({ rating }) => rating),
    ],
  };
}

/** The mean of a case as the service takes it, to the last bit: equal ratings together, the least first. */
function byValue(ratings: readonly number[]): number {
  const alike = [
    ...Map.groupBy(
      ratings.toSorted((one, other) => one - other),
      (rating) => rating,
    ),
  ];
  const mean = alike.reduce((sum, [rating, { length }]) => sum + rating * length, 0) / ratings.length;
  return Math.min(Math.max(...ratings), Math.max(Math.min(...ratings), mean));
}

function reportPlainly(results: readonly Placed[]) {
  const rated = ratedOf(results);
  return {
    statistics: rated.length === 0 ? null : { numberOfRuns: rated.length },
    lowScoringCases: rated
      .filter(({ rating }) => rating <= 5)
      .sort((one, other) => one.rating - other.rating)
      .map(({ questionIndex, output, rating, place }) => ({
        query: questionIndex === null ? null : `Question ${questionIndex}?`,
        response: output,
        rating,
        justification: justificationOf(place),
      })),
  };
}

function comparePlainly(before: readonly Placed[], after: readonly Placed[]) {
  const originals = [...before, ...after].filter(({ isVariant }) => !isVariant);
  const indexes = [...new Set(originals.map(({ questionIndex }) => questionIndex))].sort((one, other) =>
    one === other ? 0 : last(one) - last(other),
  );
  const sideOf = (results: readonly Placed[], index: number | null) => {
    const own = results.filter(({ isVariant, questionIndex }) => !isVariant && questionIndex === index);
    if (own[0] === undefined) return { rating: null, output: null, justification: null, error: null };
    const ratings = ratedOf(own).map(({ rating }) => rating);
    const { output, place } = own[0];
    const rating = ratings.length === 0 ? null : rounded(inTurn(ratings), 10);
    return { rating, output, justification: justificationOf(place), error: null };
  };
  return indexes.map((questionIndex) => {
    const [baseline, candidate] = [sideOf(before, questionIndex), sideOf(after, questionIndex)];
    return {
      questionIndex,
      query: questionIndex === null ? null : `Question ${questionIndex}?`,
      baseline,
      candidate,
      delta:
        baseline.rating === null || candidate.rating === null ? null : rounded(candidate.rating - baseline.rating, 10),
    };
  });
}

const rounded = (value: number | null, per: number): number | null =>
  value === null ? null : Math.round(value * per) / per + 0;
