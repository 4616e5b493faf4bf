import { runAtOnce } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { checkGate as decideGate } from "../src/gates/check-gate.ts";
import { composeVersions, readVersionLabel } from "../src/gates/compare-versions.ts";
import { type GateRequest, readGateRequest } from "../src/gates/gate-request.ts";
import type { RunRatings } from "../src/runs/run-ratings.ts";

const run = (averageRating: number | null, ratings: readonly number[] = [], runId = "candidate"): RunRatings => ({
  runId,
  averageRating,
  caseRatings: new Map(ratings.map((rating, index) => [index, rating])),
  isInProgress: false,
});

const checkGate = (...[run, baseline, wanted]: Parameters<typeof decideGate>) =>
  runAtOnce(decideGate(run, baseline, wanted));

const ask = (query: Record<string, string>): GateRequest => readGateRequest(query);

describe("the floor", () => {
  test.for([
    ["an average above it", 7.5, 7, true],
    ["an average just on it", 7, 7, true],
    ["an average that rounds to it", 6.996, 7, true],
    ["an average that rounds below it", 6.994, 7, false],
    ["no rated result, even under a floor of 0", null, 0, false],
    ["failed results only, under a floor of 0", 0, 0, true],
  ] as const)("%s", ([, average, failUnder, passed]) => {
    const checked = checkGate(run(average), null, ask({ failUnder: String(failUnder) }));
    expect(checked.passed).toBe(passed);
    expect(checked.checks).toEqual([expect.objectContaining({ check: "fail-under", threshold: failUnder, passed })]);
  });
});

describe("the comparison with the baseline's average", () => {
  test.for([
    ["no worse", 8, 8, {}, true],
    ["half a point worse, as much as is tolerated", 7.5, 8, {}, true],
    ["a little more than half a point worse", 7.49, 8, {}, false],
    ["two points worse where two are tolerated", 6, 8, { tolerance: "2" }, true],
    ["any worse where nothing is tolerated", 7.99, 8, { tolerance: "0" }, false],
    ["more than a tolerance of three decimals", 0.88, 0.9, { tolerance: "0.016" }, false],
    ["as much as a tolerance that no binary fraction equals", 0.7, 0.8, { tolerance: "0.1" }, true],
    ["nothing rated against a baseline", null, 8, {}, false],
    ["nothing rated and no baseline", null, null, {}, true],
    ["no baseline", 1, null, {}, true],
  ] as const)("%s", ([, average, before, query, passed]) => {
    const baseline = before === null ? null : run(before, [], "baseline");
    const checked = checkGate(run(average), baseline, ask({ noRegression: "1", ...query }));
    expect(checked.passed).toBe(passed);
  });
});

describe("the comparison case by case", () => {
  const before = [8, 8, 9, 7, 8, 9, 8, 7];
  const lower = (by: number) => before.map((rating) => rating - by);

  test("calls a run regressed that is worse on every case, whatever else passes", () => {
    const checked = checkGate(run(7, lower(1)), run(8, before, "baseline"), ask({ method: "paired", failUnder: "5" }));
    expect(checked.paired).toEqual({
      outcome: "regressed",
      cases: 8,
      difference: -1,
      interval: { level: 0.95, low: -1, high: -1 },
      pValue: 2 / 256,
      minEffect: 0.5,
      moreCases: null,
    });
    expect(checked.checks.map(({ check, passed }) => [check, passed])).toEqual([
      ["fail-under", true],
      ["paired", false],
    ]);
    expect(checked.passed).toBe(false);
  });

  test("lets a certain but small loss pass, unless less matters", () => {
    const baseline = run(8, before, "baseline");
    expect(checkGate(run(7.7, lower(0.3)), baseline, ask({ method: "paired" }))).toMatchObject({
      passed: true,
      paired: { outcome: "no_evidence" },
    });
    expect(checkGate(run(7.7, lower(0.3)), baseline, ask({ method: "paired", minEffect: "0.2" })).passed).toBe(false);
  });

  test("passes an undecided comparison, unless strict, and estimates how many more cases are needed", () => {
    const wide = before.map((rating, index) => (index % 2 === 0 ? rating - 6 : rating + 1));
    const baseline = run(8, before, "baseline");
    const lenient = checkGate(run(6, wide), baseline, ask({ method: "paired" }));
    expect(lenient).toMatchObject({ passed: true, paired: { outcome: "undecided" } });
    expect(lenient.paired?.moreCases).toBeGreaterThan(0);
    expect(checkGate(run(6, wide), baseline, ask({ method: "paired", strict: "true" })).passed).toBe(false);
  });

  test("counts only cases that both runs rated, and cannot say anything below six", () => {
    const checked = checkGate(run(1, [1, 1, 1, 1, 1]), run(8, before, "baseline"), ask({ method: "paired" }));
    expect(checked.paired).toMatchObject({ outcome: "undecided", cases: 5, interval: null, moreCases: null });
    expect(checked.passed).toBe(true);
  });

  test("passes without a baseline", () => {
    expect(checkGate(run(1, before), null, ask({ method: "paired", strict: "true" }))).toMatchObject({
      passed: true,
      paired: null,
    });
  });
});

test("a run in progress is judged by its current results, and every check says so", () => {
  const { checks } = checkGate({ ...run(8), isInProgress: true }, null, ask({ failUnder: "7", noRegression: "true" }));
  for (const { detail } of checks) expect(detail).toContain("still in progress");
});

test.for([
  [{}, "At least one check is required: failUnder=<0-10> and/or noRegression=true"],
  [{ noRegression: "false" }, "At least one check is required: failUnder=<0-10> and/or noRegression=true"],
  [{ failUnder: "high" }, "failUnder must be a number"],
  [{ failUnder: " " }, "failUnder must be a number"],
  [{ failUnder: "Infinity" }, "failUnder must be a number"],
  [{ noRegression: "1", tolerance: "x" }, "tolerance must be a number"],
  [{ method: "bootstrap" }, 'method must be "paired"'],
  [{ method: "paired", minEffect: "0" }, "minEffect must be a number above 0"],
  [{ metric: "m", failUnder: "1", scorer: "s" }, "metric and scorer cannot be combined"],
  [{ metric: "m", noRegression: "1" }, "tolerance is required with metric and noRegression"],
  [{ metric: "m", method: "paired" }, "minEffect is required with metric and method"],
] as const)("a gate asked with %j is refused: %s", ([query, message]) => {
  expect(() => readGateRequest(query)).toThrow(message);
});

test.for([
  ['{"version":" 1.2 "}', "1.2"],
  ['{"version":"","metadata":{"version":"2"}}', "2"],
  ['{"version":3}', "3"],
  ['{"metadata":"x"}', null],
  [null, null],
] as const)("the version label of %s is %s", ([subject, label]) => {
  expect(readVersionLabel(subject)).toBe(label);
});

test("a version passes if it is lower by as much as the tolerance, which no binary fraction equals", () => {
  const rated = (id: string, version: string, ratingSum: number) => ({
    ...{ id, version, ratingSum, ratedCount: 1, createdAt: new Date(0) },
  });
  const passes = (candidate: number) =>
    composeVersions([rated("b", "v2", candidate), rated("a", "v1", 8.3)]).comparison?.passed;
  expect([passes(7.8), passes(7.79)]).toEqual([true, false]);
});

test("versions are grouped over all their runs, and the latest is held against the one before it", () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
  const versionedRun = (id: string, minute: number, version: string | null, ...ratings: number[]) => ({
    id,
    createdAt: at(minute),
    version,
    ratedCount: ratings.length,
    ratingSum: ratings.reduce((sum, rating) => sum + rating, 0),
  });
  const { versions, comparison } = composeVersions([
    versionedRun("d", 4, "v2", 6, 6),
    versionedRun("c", 3, "v1", 9),
    versionedRun("b", 2, "v2", 9),
    versionedRun("a", 1, null),
  ]);
  expect(versions).toEqual([
    { version: "v2", runCount: 2, ratedCount: 3, averageRating: 7, lastRunAt: at(4).toISOString(), latestRunId: "d" },
    { version: "v1", runCount: 1, ratedCount: 1, averageRating: 9, lastRunAt: at(3).toISOString(), latestRunId: "c" },
    {
      version: "(unversioned)",
      runCount: 1,
      ratedCount: 0,
      averageRating: null,
      lastRunAt: at(1).toISOString(),
      latestRunId: "a",
    },
  ]);
  expect(comparison).toEqual({
    candidateVersion: "v2",
    baselineVersion: "v1",
    candidateAvg: 7,
    baselineAvg: 9,
    passed: false,
  });
  expect(composeVersions([]).comparison).toBeNull();
});
