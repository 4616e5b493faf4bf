import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type RescoringDependencies, rescoreRun } from "../src/rescoring/rescore-run.ts";
import type { RescoringStore } from "../src/rescoring/rescoring-store.ts";
import type { StoredRun } from "../src/runs/run-store.ts";
import { quiet } from "./start-eval-runs.ts";

test("the cases are of the version that a run has once its skipped results are listed", async () => {
  const run = { id: randomUUID(), datasetId: randomUUID(), datasetVersion: 1, planRevision: 1 } as StoredRun;
  let datasetVersion = 1;
  const graded: (number | null)[] = [];
  const rescorings: Partial<RescoringStore> = {
    begin: async () => ({ right: "granted", planRevision: 3 }),
    // An item with a new case came just before, and took the run to the next version.
    async listSkipped() {
      datasetVersion = 2;
      return [];
    },
    async *readSkipped() {},
    end: async () => undefined,
  };
  const dependencies = {
    rescorings,
    runs: { find: async () => ({ ...run, datasetVersion }) },
    gradings: {
      async ofRun(_projectId: string, { datasetVersion: version, planRevision }: StoredRun) {
        graded.push(version, planRevision);
        return { plan: {}, cases: [], numberOfRequests: 1 };
      },
    },
    linkedTraces: { open: () => async () => null },
    timings: { leaseMs: 60_000, batchMs: 60_000, heartbeatMs: 60_000, storeMs: 1 },
    logger: quiet,
    signal: new AbortController().signal,
  } as unknown as RescoringDependencies;

  await rescoreRun(dependencies, { projectId: randomUUID(), organizationId: null, run, asked: null });

  expect(graded).toEqual([2, 3]);
});
