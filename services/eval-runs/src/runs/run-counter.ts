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
} from "./statistics.ts";

/** All that a run's statistics are computed from. */
export interface RunCounts {
  tallies: readonly ResultTally[];
  /** What each judge with a rating of its own in the rows said, in the order of `rowGradersOf`. */
  graderTallies: readonly (readonly ResultTally[])[];
  caseStatistics: readonly CaseStatistics[];
}

/** Counts the results of a run as they pass, in the order of the run; of a row nothing is kept but what is counted. */
export interface RunCounter {
  add(result: Omit<ReadResult, "id">): void;
  /** When all were added. */
  end(): RunCounts & { caseRatings: readonly number[] };
}

export function createRunCounter(plan: GradingPlan): RunCounter {
  const histogram = createHistogram();
  const graders = rowGradersOf(plan).map(({ id }) => ({ id, histogram: createHistogram() }));
  const cases: CaseTally[] = [];

  /** A failed result counts as 0 for every judge, as it does for the run: no judge is kinder to an agent that fails. */
  function addJudges({ isVariant, status }: Counted, rowText: string): void {
    const ratings = readJudgeRatings(rowText);
    for (const { id, histogram: ofGrader } of graders) {
      ofGrader.add({ isVariant, status, rating: status === "failed" ? 0 : (ratings.get(id) ?? null) });
    }
  }

  return {
    add({ questionIndex, isVariant, status, rating, rowText }) {
      const counted = { isVariant, status, rating };
      histogram.add(counted);
      cases.push({ questionIndex, isVariant, status, rating, count: 1 });
      if (graders.length > 0) addJudges(counted, rowText);
    },
    end: () => ({
      tallies: histogram.tallies(),
      graderTallies: graders.map(({ histogram: ofGrader }) => ofGrader.tallies()),
      caseStatistics: computeCaseStatistics(cases),
      caseRatings: computeCaseRatings(cases),
    }),
  };
}

/** What the judges besides the primary, or those of a group, said of a result, by their ids. */
export function readJudgeRatings(rowText: string): ReadonlyMap<string, number | null> {
  const { judgeScorerResults } = JSON.parse(rowText) as Pick<ResultRow, "judgeScorerResults">;
  return new Map((judgeScorerResults ?? []).map(({ scorerId, rating }) => [scorerId, rating]));
}

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
