import { expect, test } from "vitest";
import { findMissingResults } from "../src/runs/missing-results.ts";

test("the first ten thousand missing results of a run are listed, however many its dataset requires", () => {
  const stored = [{ idempotencyKey: "k", questionIndex: 0, runNumber: 1, isVariant: false }];
  const missing = findMissingResults("run", { cases: 1_000_000, numberOfRequests: 20 }, stored);
  expect(missing).toHaveLength(10_000);
  expect([missing[0]?.idempotencyKey, missing.at(-1)?.idempotencyKey]).toEqual([
    "run:case-0:run-2",
    "run:case-500:run-1",
  ]);
});
