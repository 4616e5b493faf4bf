import type { GateCheck, PairedComparison } from "@touchstone/contracts";
import type { Sliced } from "@touchstone/service-kit";
import type { RunRatings } from "../runs/run-ratings.ts";
import { comparePairs } from "../statistics/paired-difference.ts";
import { decidePaired } from "../statistics/paired-verdict.ts";
import type { GateChecks } from "./gate-request.ts";

export interface CheckedGate {
  checks: GateCheck[];
  paired: PairedComparison | null;
  passed: boolean;
}

/**
 * Checks a run against the request (completions 5.6). Pure: the same runs give the same verdict. Averages are rounded to 2
 * decimals before they are compared, as they are shown.
 */
export function* checkGate(run: RunRatings, baseline: RunRatings | null, wanted: GateChecks): Sliced<CheckedGate> {
  const average = wanted.metric === null ? "average rating" : `average of "${wanted.metric}"`;
  const checks: GateCheck[] = [];
  if (wanted.failUnder !== null) checks.push(checkFloor(run, wanted.failUnder, average));
  if (wanted.regressionTolerance !== null) {
    checks.push(checkRegression(run, baseline, { tolerance: wanted.regressionTolerance, average }));
  }
  let paired: PairedComparison | null = null;
  if (wanted.paired !== null) {
    paired = baseline === null ? null : yield* compareRuns(baseline, run, wanted.paired.minEffect);
    checks.push(checkPaired(paired, wanted.paired));
  }
  const soFar = run.isInProgress ? " The run is still in progress: this is about the results so far." : "";
  return {
    checks: checks.map((check) => ({ ...check, detail: `${check.detail}${soFar}` })),
    paired,
    passed: checks.every((check) => check.passed),
  };
}

/** Compares two runs case by case, over the cases rated in both; repetitions of a case count as their mean. */
export function* compareRuns(baseline: RunRatings, candidate: RunRatings, minEffect: number): Sliced<PairedComparison> {
  const differences: number[] = [];
  // In the order of the cases, so that random draws do not depend on the order in which rows were read.
  for (const index of [...candidate.caseRatings.keys()].sort((one, other) => one - other)) {
    const before = baseline.caseRatings.get(index);
    if (before !== undefined) differences.push((candidate.caseRatings.get(index) as number) - before);
  }
  const compared = yield* comparePairs(differences, { seed: `${baseline.runId}:${candidate.runId}` });
  const { outcome, moreCases } = decidePaired(compared, minEffect);
  return {
    outcome,
    cases: differences.length,
    difference: compared?.difference ?? null,
    interval: compared && { level: 0.95, low: compared.low, high: compared.high },
    pValue: compared?.pValue ?? null,
    minEffect,
    moreCases,
  };
}

/** Rounds an average as it is shown and compared. */
export function roundAverage(average: number | null): number | null {
  return average === null ? null : Math.round(average * 100) / 100;
}

function checkFloor(run: RunRatings, threshold: number, average: string): GateCheck {
  const actual = roundAverage(run.averageRating);
  const passed = actual !== null && actual >= threshold;
  const detail =
    actual === null
      ? "No result is rated."
      : `The ${average} ${actual} is ${passed ? "not below" : "below"} ${threshold}.`;
  return { check: "fail-under", passed, threshold, actual, detail };
}

function checkRegression(
  run: RunRatings,
  baseline: RunRatings | null,
  { tolerance, average }: { tolerance: number; average: string },
): GateCheck {
  const actual = roundAverage(run.averageRating);
  const before = roundAverage(baseline?.averageRating ?? null);
  if (before === null) {
    return { check: "no-regression", passed: true, threshold: null, actual, detail: "There is no baseline yet." };
  }
  // Not to two decimals: a tolerance may be finer. Only the error of the subtraction goes.
  const threshold = Math.round((before - tolerance) * 1e9) / 1e9;
  const passed = actual !== null && actual >= threshold;
  const detail =
    actual === null
      ? `No result is rated; the baseline's average is ${before}.`
      : `The ${average} ${actual} is ${passed ? "not below" : "below"} the baseline's ${before} less ${tolerance}.`;
  return { check: "no-regression", passed, threshold, actual, detail };
}

function checkPaired(
  paired: PairedComparison | null,
  { isStrict, minEffect }: NonNullable<GateChecks["paired"]>,
): GateCheck {
  const base = { check: "paired", threshold: -minEffect, actual: paired?.difference ?? null } as const;
  if (paired === null) return { ...base, passed: true, detail: "There is no baseline yet." };
  const isUndecided = paired.outcome === "undecided";
  return {
    ...base,
    passed: paired.outcome !== "regressed" && !(isStrict && isUndecided),
    detail: describePaired(paired),
  };
}

function describePaired({ outcome, cases, difference, interval, moreCases }: PairedComparison): string {
  if (interval === null) return `Undecided: ${cases} cases are rated in both runs, and fewer than 6 can show nothing.`;
  const found = `${cases} cases differ by ${shown(difference as number)} on average (95 %: ${shown(interval.low)} to ${shown(interval.high)})`;
  switch (outcome) {
    case "regressed":
      return `Regressed: ${found}.`;
    case "improved":
      return `Improved: ${found}.`;
    case "no_evidence":
      return `No difference that matters: ${found}.`;
    case "undecided":
      return `Undecided: ${found}. About ${moreCases} more cases would decide.`;
  }
}

const shown = (difference: number): string => (Math.round(difference * 100) / 100).toString();
