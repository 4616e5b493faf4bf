import { expect, test } from "vitest";
import { runChanges } from "../../src/overview/run-changes.ts";

const run = (_id: string, datasetId: string, averageRating: number | null) => ({ _id, datasetId, averageRating });

test("a run is compared with the one before it of the same dataset", () => {
  const runs = [run("d", "one", 7.5), run("c", "two", 4), run("b", "one", 8), run("a", "one", 2)];
  expect(runChanges(runs, 3).map(({ run: { _id }, baselineId, delta }) => [_id, baselineId, delta])).toEqual([
    ["d", "b", -0.5],
    ["c", null, null],
    ["b", "a", 6],
  ]);
});

test("a run without ratings has a baseline and no change", () => {
  const runs = [run("b", "one", 7), run("a", "one", null)];
  expect(runChanges(runs, 1)).toEqual([{ run: runs[0], baselineId: "a", delta: null }]);
});
