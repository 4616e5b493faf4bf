import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type RescoringDependencies, rescoreRun } from "../src/rescoring/rescore-run.ts";
import type { RescoringStore } from "../src/rescoring/rescoring-store.ts";
import type { SkippedResult } from "../src/rescoring/skipped-result-reader.ts";
import type { StoredRun } from "../src/runs/run-store.ts";
import { createGate } from "./conditions.ts";
import { quiet } from "./start-eval-runs.ts";

test("the cases are of the version that a run has once its skipped results are listed", async () => {
  const run = { id: randomUUID(), datasetId: randomUUID(), datasetVersion: 1, planRevision: 1 } as StoredRun;
  let datasetVersion = 1;
  const graded: (number | null)[] = [];
  const rescorings: Partial<RescoringStore> = {
    begin: async () => ({ right: "granted", planRevision: 3, scoringRevision: 0 }),
    // An item with a new case came just before, and took the run to the next version.
    async listSkipped() {
      datasetVersion = 2;
      return [];
    },
    async *readSkipped() {},
    end: async () => undefined,
  };
  const dependencies = dependOn({
    rescorings,
    runs: { find: async () => ({ ...run, datasetVersion }) },
    gradings: {
      async ofRun(_projectId: string, { datasetVersion: version, planRevision }: StoredRun) {
        graded.push(version, planRevision);
        return { plan: {}, cases: [], numberOfRequests: 1 };
      },
    },
  });

  await rescoreRun(dependencies, { projectId: randomUUID(), organizationId: null, run, asked: null });

  expect(graded).toEqual([2, 3]);
});

test.each([
  ["another caller has the run", true, "Rescoring already running for this run"],
  ["the run is deleted", false, "Run not found"],
])("no further result is judged once a heartbeat finds that %s", async (_, isThere, message) => {
  const run = { id: randomUUID(), datasetVersion: 1 } as StoredRun;
  const renewed = createGate();
  let isListed = true;
  const pulled: string[] = [];
  const rescorings: Partial<RescoringStore> = {
    begin: async () => ({ right: "granted", planRevision: 1, scoringRevision: 0 }),
    async renew() {
      isListed = isThere;
      renewed.open();
      return false;
    },
    listSkipped: async () => ["the only worker's"],
    async *readSkipped() {
      for (const id of ["first", "second", "third"]) {
        if (id === "second") await renewed.opened;
        pulled.push(id);
        yield { id, row: { error: null } } as SkippedResult;
      }
    },
    end: async () => undefined,
  };
  const dependencies = dependOn({
    rescorings,
    runs: { find: async () => (isListed ? run : null) },
    gradings: { ofRun: async () => ({ plan: {}, cases: [], numberOfRequests: 1 }) },
    heartbeatMs: 1,
  });

  const rescoring = rescoreRun(dependencies, { projectId: randomUUID(), organizationId: null, run, asked: null });

  await expect(rescoring).rejects.toThrow(message);
  expect(pulled).toEqual(["first", "second"]);
});

function dependOn({
  heartbeatMs = 60_000,
  ...fakes
}: {
  rescorings: Partial<RescoringStore>;
  runs: object;
  gradings: object;
  heartbeatMs?: number;
}) {
  return {
    ...fakes,
    linkedTraces: { open: () => async () => null },
    timings: { leaseMs: 60_000, batchMs: 60_000, heartbeatMs, storeMs: 1 },
    logger: quiet,
    signal: new AbortController().signal,
  } as unknown as RescoringDependencies;
}
