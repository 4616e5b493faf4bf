import type { run } from "@touchstone/contracts";
import type { z } from "zod";
import { type GradingPlan, rowGradersOf } from "../grading/plan.ts";
import type { ReadResult } from "../results/result-store.ts";
import type { ResultRow } from "../results/stored-result.ts";
import {
  type CaseStatistics,
  type CaseTally,
  type CountedResult,
  computeCaseRatings,
  computeCaseStatistics,
  type ResultTally,
} from "../statistics/result-tally.ts";
import { createMetricCounter, hasMetrics } from "./metric-counter.ts";

type Run = z.input<typeof run>;

/** The input of a run's statistics. */
export interface RunCounts {
  tallies: readonly ResultTally[];
  /** The ratings of each judge with separate ratings in the rows, in the order of `rowGradersOf`. */
  graderTallies: readonly (readonly ResultTally[])[];
  caseStatistics: readonly CaseStatistics[];
  /** The mean of each rated case. */
  caseRatings: readonly number[];
  skips: Run["skips"];
}

/** The same with the values that are only in the rows. */
export interface RowCounts extends RunCounts {
  metrics: Run["metrics"];
}

/** Counts the results of a run in one pass, in the order of the run; keeps no rows. */
export interface RunCounter {
  add(result: Omit<ReadResult, "id">): void;
  /** Call it after all results were added. */
  end(): RowCounts;
}

export function createRunCounter(plan: GradingPlan): RunCounter {
  const histogram = createHistogram();
  const graders = rowGradersOf(plan).map(({ id }) => ({ id, histogram: createHistogram() }));
  const cases: CaseTally[] = [];
  const skips = createSkipCounter();
  const metrics = createMetricCounter();

  /** A failed result counts as 0 for every judge, as it does for the run. */
  function addJudges({ isVariant, status }: Counted, row: JudgedRow): void {
    const ratings = judgeRatingsOf(row);
    for (const { id, histogram: ofGrader } of graders) {
      ofGrader.add({ isVariant, status, rating: status === "failed" ? 0 : (ratings.get(id) ?? null) });
    }
  }

  return {
    add({ questionIndex, isVariant, status, rating, skipReason, rowText }) {
      const counted = { isVariant, status, rating };
      histogram.add(counted);
      cases.push({ questionIndex, isVariant, status, rating, count: 1 });
      skips.add({ isVariant, skipReason, count: 1 });
      // Most rows with one judge have no further values, and are not parsed.
      if (graders.length === 0 && !hasMetrics(rowText)) return;
      const row = JSON.parse(rowText) as ResultRow;
      addJudges(counted, row);
      if (!isVariant) metrics.add(row);
    },
    end: () => ({
      tallies: histogram.tallies(),
      graderTallies: graders.map(({ histogram: ofGrader }) => ofGrader.tallies()),
      caseStatistics: computeCaseStatistics(cases),
      caseRatings: computeCaseRatings(cases),
      skips: skips.end(),
      metrics: metrics.end(),
    }),
  };
}

/** Counts skip reasons, without variants; the most frequent one comes first. */
export function createSkipCounter() {
  const counts = new Map<string, number>();
  return {
    add({ isVariant, skipReason, count }: { isVariant: boolean; skipReason: string | null; count: number }): void {
      if (skipReason !== null && !isVariant) counts.set(skipReason, (counts.get(skipReason) ?? 0) + count);
    },
    end: (): Run["skips"] =>
      [...counts].map(([code, count]) => ({ code, count })).sort((one, other) => other.count - one.count),
  };
}

/** The ratings of a result by the judges besides the primary, or by those of a group, by id. */
export function readJudgeRatings(rowText: string): ReadonlyMap<string, number | null> {
  return judgeRatingsOf(JSON.parse(rowText) as JudgedRow);
}

type JudgedRow = Pick<ResultRow, "judgeScorerResults">;

const judgeRatingsOf = ({ judgeScorerResults }: JudgedRow): ReadonlyMap<string, number | null> =>
  new Map((judgeScorerResults ?? []).map(({ scorerId, rating }) => [scorerId, rating]));

type Counted = Omit<CountedResult, "questionIndex">;

function createHistogram(): { add(counted: Counted): void; tallies(): ResultTally[] } {
  const tallies = new Map<string, ResultTally>();
  return {
    add({ isVariant, status, rating }) {
      const key = `${isVariant} ${status} ${rating}`;
      const alike = tallies.get(key);
      if (alike === undefined) tallies.set(key, { isVariant, status, rating, count: 1 });
      else alike.count += 1;
    },
    tallies: () => [...tallies.values()],
  };
}
