import { buildResult, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { type Grading, namedResults, numbered, oneRowEach, openGrading } from "../src/graded-run.ts";
import { type Installation, type JudgingSlot, startInstallation } from "../src/installation.ts";
import type { ProxyMode } from "../src/tcp-proxy.ts";

let llm: ScriptedLlm;
let system: Installation;
let grading: Grading;

beforeAll(async () => {
  llm = await startScriptedLlm();
  system = await startInstallation({
    evalRuns: 2,
    judges: 2,
    settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted" },
  });
  grading = openGrading(system);
});

beforeEach(() => llm.reset());

afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

async function setWays(slots: readonly JudgingSlot[], mode: ProxyMode): Promise<void> {
  await Promise.all(slots.map(({ bus }) => bus.set(mode)));
}

async function readReadiness({ url }: JudgingSlot): Promise<{ status: number; bus: string | undefined }> {
  const answer = await fetch(`${url}/health/ready`);
  const { checks } = (await answer.json()) as { checks: Record<string, string> };
  return { status: answer.status, bus: checks.bus };
}

/** The expected answer to a batch when nothing was lost: all scored, one row each. */
async function expectScored(
  run: Awaited<ReturnType<Grading["startRun"]>>,
  names: readonly string[],
  submitting = run.submit(namedResults(names)),
): Promise<void> {
  const { status, body } = await submitting;
  expect(status).toBe(200);
  expect(body.scoredResults.map(({ status, rating }) => `${status} ${rating}`)).toEqual(names.map(() => "scored 7"));
  expect(await run.countRows()).toEqual(oneRowEach(names));
}

test("row 16: with NATS slow in every direction, results are scored, and each provider call is made once", async () => {
  const run = await grading.startRun();
  await setWays([...system.evalRuns, ...system.judges], { kind: "delay", ms: 200 });

  await expectScored(run, numbered("slow", 10));

  expect(llm.requests).toHaveLength(10);
  await setWays([...system.evalRuns, ...system.judges], { kind: "pass" });
});

test("row 16: with NATS frozen, results wait, all services stay up, and all are scored when NATS resumes", async () => {
  const run = await grading.startRun();
  const names = numbered("frozen", 10);
  system.nats.signal("SIGSTOP");
  const submitting = run.submit(namedResults(names));
  await waitUntil("both replicas report that the bus is unavailable, and stay in service", async () => {
    const states = await Promise.all(system.evalRuns.map(readReadiness));
    return states.every(({ status, bus }) => status === 200 && bus === "disconnected");
  });
  expect(await system.listEnded()).toEqual([]);
  expect(await run.read()).toMatchObject({ status: "in_progress", resultCount: 0 });

  system.nats.signal("SIGCONT");

  await expectScored(run, names, submitting);
  await system.settle();
});

test("row 16: a judge that is cut off from NATS in the middle of its calls is replaced, and recovers without help", async () => {
  const [first, second] = system.judges as [JudgingSlot, JudgingSlot];
  const run = await grading.startRun();
  const names = numbered("partition", 10);
  const held = Promise.withResolvers<void>();
  llm.answerWith(async () => {
    await held.promise;
    return { kind: "verdict", rating: 7 };
  });
  // All ten go to the judge that is cut off next.
  await second.bus.set({ kind: "refuse" });
  await waitUntil("only the first has the bus", async () => (await readReadiness(second)).bus === "disconnected");
  const submitting = run.submit(namedResults(names));
  await waitUntil("all ten are with the provider", async () => llm.inFlight() === 10);
  await second.bus.set({ kind: "pass" });
  await waitUntil("the second has the bus again", async () => (await readReadiness(second)).bus === "ok");
  await first.bus.set({ kind: "hold" });
  await waitUntil("the second receives all ten", async () => llm.requests.length === 20);
  held.resolve();

  await expectScored(run, names, submitting);

  await first.bus.set({ kind: "pass" });
  await system.settle();
  await second.stop();
  const later = await grading.startRun();
  await expectScored(later, numbered("healed", 10));
  await second.start();
});

test("row 16: eval-runs that is cut off from NATS skips results when their deadline has passed, and recovers without help", async () => {
  const run = await grading.startRun();
  await setWays(system.evalRuns, { kind: "refuse" });
  await waitUntil("both replicas report it, and stay in service", async () => {
    const states = await Promise.all(system.evalRuns.map(readReadiness));
    return states.every(({ status, bus }) => status === 200 && bus === "disconnected");
  });
  expect((await Promise.all(system.judges.map(readReadiness))).map(({ bus }) => bus)).toEqual(["ok", "ok"]);
  const names = numbered("cut-off", 4);

  const { status, body } = await run.submit([
    ...namedResults(names),
    buildResult({ idempotencyKey: "failed", error: { type: "Timeout" } }),
  ]);

  expect(status).toBe(200);
  expect(body.scoredResults.map(({ status, rating, justification }) => ({ status, rating, justification }))).toEqual([
    ...names.map(() => ({
      status: "skipped",
      rating: null,
      justification: "The judge could not be asked: the message bus is unavailable.",
    })),
    { status: "failed", rating: 0, justification: expect.any(String) },
  ]);
  expect(body.liveStatistics).toMatchObject({ ratedCount: 1, skippedCount: 4, failedCount: 1, averageRating: 0 });
  expect(await run.read()).toMatchObject({ status: "in_progress", resultCount: 5 });
  expect(llm.requests).toHaveLength(0);

  await setWays(system.evalRuns, { kind: "pass" });
  await waitUntil("both replicas have the bus", async () =>
    (await Promise.all(system.evalRuns.map(readReadiness))).every(({ bus }) => bus === "connected"),
  );
  await expectScored(await grading.startRun(), numbered("mended", 10));
});
