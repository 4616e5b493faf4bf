import { createLogger, systemClock } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { planOfDataset } from "../src/grading/plan.ts";
import { createBatchScorer } from "../src/results/batch-scorer.ts";
import type { Batch } from "../src/results/candidate.ts";
import type { ClaimStore } from "../src/results/claim-store.ts";
import type { ScoringDependencies } from "../src/results/score-batch.ts";
import { defaultTimings } from "../src/timings.ts";
import { createGate } from "./conditions.ts";

const plan = planOfDataset({ id: "d", document: '{"name":"n"}' });
const grading = { plan, cases: [] };
const batch = { projectId: "p", runId: "r", batchId: "b", grading, results: [{}] } as unknown as Batch;

/** A scorer whose batches wait at their claim until the gate opens, and then find their run over. */
function createScorer(batchesMax: number) {
  const gate = createGate();
  const claims = {
    async take() {
      await gate.opened;
      return { runIsOpen: false, states: new Map() };
    },
    release: async () => undefined,
  } as unknown as ClaimStore;
  const dependencies: ScoringDependencies = {
    bus: {} as ScoringDependencies["bus"],
    claims,
    clock: systemClock,
    timings: defaultTimings,
    linkedTraces: { open: () => async () => null, describe: () => Promise.reject(new Error("nobody asks")) },
    logger: createLogger({ service: "eval-runs", level: "silent" }),
    onStored: () => undefined,
  };
  const results = [{ idempotencyKey: "k", error: {}, questionIndex: 0, scores: null }];
  const scorer = createBatchScorer(dependencies, batchesMax);
  return { gate, score: () => scorer.score({ ...batch, results } as unknown as Batch), scorer };
}

test("the number of open batches is limited; the rest get a retry response", async () => {
  const { gate, score } = createScorer(2);
  const scoring = [score(), score()];

  await expect(score()).rejects.toMatchObject({ code: "service_unavailable" });

  gate.open();
  for (const scored of scoring) await expect(scored).rejects.toMatchObject({ code: "conflict" });
  await expect(score()).rejects.toMatchObject({ code: "conflict" });
});

test("a batch without a valid result needs no claim, and a stop waits for open batches", async () => {
  const { gate, score, scorer } = createScorer(1);
  expect(await scorer.score({ ...batch, results: [] })).toEqual(new Map());
  const scoring = score();
  let isStopped = false;

  const stopping = scorer.stop(0).then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  gate.open();

  await expect(scoring).rejects.toMatchObject({ code: "conflict" });
  await stopping;
});
