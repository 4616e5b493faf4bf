import { expect, test } from "vitest";
import { comparisonOf, newestPairs, replaceRun, toggleRun } from "../../src/runs/selected-runs.ts";

const run = (_id: string, datasetId = "d1") => ({ _id, datasetId });

test("choosing a run twice takes it out again", () => {
  expect(toggleRun(["a"], "b")).toEqual(["a", "b"]);
  expect(toggleRun(["a", "b"], "a")).toEqual(["b"]);
  expect(toggleRun(["a"], "a")).toBeUndefined();
});

test("the oldest of the chosen runs is the baseline, whatever the order of choosing", () => {
  const runs = [run("4"), run("3"), run("2"), run("1")];
  expect(comparisonOf(["1", "4", "3"], runs)).toEqual({ baseline: "1", candidates: ["4", "3"] });
});

test("a run that a filter hides is in its place", () => {
  expect(comparisonOf(["3", "2"], [run("2")])).toEqual({ baseline: "2", candidates: ["3"] });
  expect(comparisonOf(["1", "2"], [run("2")])).toEqual({ baseline: "1", candidates: ["2"] });
});

test("one run, or runs of two datasets, are not compared", () => {
  expect(comparisonOf(["a"], [run("a")])).toBe("Select two runs or more of one dataset.");
  expect(comparisonOf(["a", "b"], [run("a"), run("b", "d2")])).toMatch("different datasets");
});

test("the newest pair of each dataset is the older run and the newer one", () => {
  const [a, b, c, d] = [run("a"), run("b", "d2"), run("c"), run("d")];
  expect(newestPairs([a, b, c, d])).toEqual([{ baseline: c, candidate: a }]);
});

test("a compared run is replaced by another, or changes places with it when both are compared", () => {
  const compared = { baseline: "a", candidate: ["b", "c"] };
  expect(replaceRun(compared, "a", "new")).toEqual({ baseline: "new", candidate: ["b", "c"] });
  expect(replaceRun(compared, "c", "new")).toEqual({ baseline: "a", candidate: ["b", "new"] });
  expect(replaceRun(compared, "a", "c")).toEqual({ baseline: "c", candidate: ["b", "a"] });
  expect(replaceRun(compared, "b", "a")).toEqual({ baseline: "b", candidate: ["a", "c"] });
  expect(replaceRun(compared, "b", "c")).toEqual({ baseline: "a", candidate: ["c", "b"] });
});
