import { setTimeout as sleep } from "node:timers/promises";
import { hashLlmKey, type LlmReply, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { type GradedRun, type Grading, namedResults, numbered, oneRowEach, openGrading } from "../src/graded-run.ts";
import { type Installation, type JudgingSlot, startInstallation } from "../src/installation.ts";
import { createRandom } from "../src/random.ts";
import { startScoringLoad } from "../src/scoring-load.ts";

let llm: ScriptedLlm;
let system: Installation;
let grading: Grading;

/** Each judge has a different key, by which the provider distinguishes them. */
const keyOf = (judge: number): string => `sk-of-judge-${judge}`;

beforeAll(async () => {
  llm = await startScriptedLlm();
  system = await startInstallation({
    evalRuns: 2,
    judges: 2,
    settings: { OPENAI_BASE_URL: llm.baseUrl, SERVICE_LOG_LEVEL: "info" },
    judgeSettings: (index) => ({ OPENAI_API_KEY: keyOf(index) }),
  });
  grading = openGrading(system);
});

beforeEach(() => llm.reset());

afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

/** Verdicts that are held back until released, and the judges that asked for one. */
function holdVerdicts(): { release(): void; askedBy(judge: number): number } {
  const held = Promise.withResolvers<void>();
  const asked = new Map<string | null, number>();
  llm.answerWith(async ({ keyHash }): Promise<LlmReply> => {
    asked.set(keyHash, (asked.get(keyHash) ?? 0) + 1);
    await held.promise;
    return { kind: "verdict", rating: 8 };
  });
  return { release: held.resolve, askedBy: (judge) => asked.get(hashLlmKey(keyOf(judge))) ?? 0 };
}

/** At most 5 s pass from a judge's last sign of life to the next call; the rest is for a busy machine. */
const noticedWithinMs = 30_000;

/** Submits ten results, disturbs the judge that received most of them, and waits for the whole answer. */
async function gradeWhile(
  hurt: (victim: JudgingSlot) => Promise<void>,
  choose: (busiest: number) => number = (busiest) => busiest,
): Promise<{ run: GradedRun; victim: JudgingSlot; inVictimsHands: number; calls: number }> {
  const run = await grading.startRun();
  const names = numbered("result", 10);
  const verdicts = holdVerdicts();
  const submitting = run.submit(namedResults(names));
  await waitUntil("all ten are with the provider", async () => llm.inFlight() === 10);
  const index = choose(verdicts.askedBy(0) >= verdicts.askedBy(1) ? 0 : 1);
  const victim = system.judges[index] as JudgingSlot;
  const inVictimsHands = verdicts.askedBy(index);

  await hurt(victim);
  await waitUntil("its results are requested again", async () => llm.requests.length === 10 + inVictimsHands, {
    timeoutMs: noticedWithinMs,
  });
  verdicts.release();

  const { status, body } = await submitting;
  expect(status).toBe(200);
  expect(body).toMatchObject({ accepted: 10, duplicates: 0 });
  expect(body.scoredResults.map(({ status, rating }) => `${status} ${rating}`)).toEqual(Array(10).fill("scored 8"));
  expect(await run.countRows()).toEqual(oneRowEach(names));
  return { run, victim, inVictimsHands, calls: llm.requests.length };
}

test("row 3: a judge that is killed in the middle of its calls is noticed, and another judges its results, once each", async () => {
  const { run, victim, inVictimsHands, calls } = await gradeWhile((judge) => judge.kill());

  expect(inVictimsHands).toBeGreaterThan(0);
  expect(calls).toBe(10 + inVictimsHands);
  expect(await run.read()).toMatchObject({ resultCount: 10, averageRating: 8 });
  await victim.start();
});

test("row 3: the only judge, killed in the middle of its calls and started again, judges its results", async () => {
  const [first, second] = system.judges as [JudgingSlot, JudgingSlot];
  await second.stop();

  const { run, calls } = await gradeWhile(async () => {
    await first.kill();
    await first.start();
  });

  expect(calls).toBe(20);
  expect(await run.read()).toMatchObject({ resultCount: 10, averageRating: 8 });
  await second.start();
});

test("row 3: a judge that freezes in the middle of its calls is noticed too, and its late answers change nothing", async () => {
  const { run, victim, inVictimsHands, calls } = await gradeWhile(async ({ process: judge }) => {
    process.kill(judge.pid, "SIGSTOP");
  });
  const before = await run.read();

  process.kill(victim.process.pid, "SIGCONT");
  await waitUntil("it is ready again", async () => (await fetch(`${victim.url}/health/ready`)).ok);
  await waitUntil("it has released all results", async () =>
    /"delivered":"(aborted|nobody)"/.test(victim.process.log()),
  );

  expect(calls).toBe(10 + inVictimsHands);
  expect(await run.read()).toEqual(before);
  expect(before.results).toHaveLength(10);
});

test("row 4: eval-runs is killed in the middle of batches: the retry echoes stored results and judges the rest", async () => {
  const random = createRandom(Number(process.env.TOUCHSTONE_SEED ?? 4));
  const batches = await Promise.all(
    numbered("batch", 3).map(async (batch) => {
      const names = numbered(batch, 10);
      return { run: await grading.startRun(), names, stored: new Set(names.slice(0, random.integer(1, 9))) };
    }),
  );
  const held = Promise.withResolvers<void>();
  llm.answerWith(async ({ prompt }): Promise<LlmReply> => {
    const name = /The answer of ([\w-]+)\./.exec(prompt)?.[1] ?? "";
    if (batches.some(({ stored }) => stored.has(name))) return { kind: "verdict", rating: 9 };
    await held.promise;
    return { kind: "verdict", rating: 1 };
  });
  const submitting = batches.map(({ run, names }) => run.submit(namedResults(names)));
  const waiting = batches.reduce((sum, { stored }) => sum + 10 - stored.size, 0);
  await waitUntil("the judged results are stored, and the rest is being judged", async () => {
    const stored = await Promise.all(batches.map(async (batch) => (await batch.run.countRows()).size));
    return llm.inFlight() === waiting && stored.every((count, index) => count === batches[index]?.stored.size);
  });

  await Promise.all(system.evalRuns.map((replica) => replica.kill()));
  for (const { status } of await Promise.all(submitting)) expect(status).toBe(503);
  llm.answerWith({ kind: "verdict", rating: 5 });
  await Promise.all(system.evalRuns.map((replica) => replica.start()));
  await system.settle();
  const retries = await Promise.all(batches.map(({ run, names }) => run.submit(namedResults(names))));
  held.resolve();

  for (const [index, { run, names, stored }] of batches.entries()) {
    const { status, body } = retries[index] as (typeof retries)[number];
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 10 - stored.size, duplicates: stored.size, failedValidation: 0 });
    expect(
      body.scoredResults.map(({ idempotencyKey, rating, deduped }) => ({ idempotencyKey, rating, deduped })),
    ).toEqual(
      names.map((name) =>
        stored.has(name)
          ? { idempotencyKey: name, rating: 9, deduped: true }
          : { idempotencyKey: name, rating: 5, deduped: undefined },
      ),
    );
    const average = (9 * stored.size + 5 * (10 - stored.size)) / 10;
    expect(body.liveStatistics).toMatchObject({ ratedCount: 10, skippedCount: 0, minRating: 5, maxRating: 9 });
    expect(await run.countRows()).toEqual(oneRowEach(names));
    const graded = await run.read();
    expect(graded).toMatchObject({ resultCount: 10, liveStatistics: body.liveStatistics });
    expect(graded.averageRating).toBeCloseTo(average, 9);
  }
  expect(llm.requests).toHaveLength(30 + waiting);
});

test("row 42: judges and eval-runs that are stopped one after the other under load lose no request and no result", async () => {
  llm.answerWith({ kind: "verdict", rating: 8, delayMs: 100 });
  const load = startScoringLoad(grading, 4);
  const codes: (number | null)[] = [];
  for (const slot of [...system.judges, ...system.evalRuns]) {
    await load.awaitBatches(4);
    codes.push(await slot.stop());
    await slot.start();
    await waitUntil("it is ready", async () => (await fetch(`${slot.url}/health/ready`)).ok);
  }
  await load.awaitBatches(4);

  const sides = await load.stop();

  expect(codes).toEqual([0, 0, 0, 0]);
  for (const { run, names, failures } of sides) {
    expect(failures).toEqual([]);
    expect(await run.countRows()).toEqual(oneRowEach(names));
    const { resultCount, liveStatistics } = await run.read();
    expect({ resultCount, ...liveStatistics }).toMatchObject({ resultCount: names.length, ratedCount: names.length });
  }
});

test("a key submitted a hundred times at once to two replicas is judged once: one accepted, ninety-nine echoes", async () => {
  llm.answerWith({ kind: "verdict", rating: 6, delayMs: 300 });
  const run = await grading.startRun();
  await awaitShares(run);
  const before = await countRequests("submitResults");

  const answers = await Promise.all(numbered("attempt", 100).map(() => submitUntilTaken(run, ["the one"])));

  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const scored = answers.flatMap(({ body }) => body.scoredResults);
  expect(new Set(scored.map(({ idempotencyKey, rating, status }) => `${idempotencyKey} ${rating} ${status}`))).toEqual(
    new Set(["the one 6 scored"]),
  );
  expect(answers.filter(({ body }) => body.accepted === 1 && body.duplicates === 0)).toHaveLength(1);
  expect(scored.filter(({ deduped }) => deduped === true)).toHaveLength(99);
  expect(llm.requests).toHaveLength(1);
  expect(await run.countRows()).toEqual(oneRowEach(["the one"]));
  const after = await countRequests("submitResults");
  for (const [index, count] of after.entries()) expect(count).toBeGreaterThan(before[index] as number);
});

/** Like a client: after a 503 from a busy replica the request is repeated. */
async function submitUntilTaken(run: GradedRun, names: readonly string[]): ReturnType<GradedRun["submit"]> {
  for (let attempts = 1; ; attempts += 1) {
    const answer = await run.submit(namedResults(names));
    if (answer.status !== 503 || attempts === 5) return answer;
    await sleep(1_000);
  }
}

/** The gateway avoids a replica for some seconds after it stopped: waits until the gateway uses each one again. */
async function awaitShares(run: GradedRun): Promise<void> {
  const before = await countRequests("getRun");
  await waitUntil("each replica receives requests", async () => {
    await run.read();
    return (await countRequests("getRun")).every((count, index) => count > (before[index] as number));
  });
}

/** The number of requests to a route that each replica of eval-runs has answered. */
async function countRequests(route: string): Promise<number[]> {
  const counted = new RegExp(`^service_http_requests_total\\{[^}]*route="${route}"[^}]*\\} (\\d+)$`, "gm");
  return Promise.all(
    system.evalRuns.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return [...text.matchAll(counted)].reduce((sum, [, count]) => sum + Number(count), 0);
    }),
  );
}
