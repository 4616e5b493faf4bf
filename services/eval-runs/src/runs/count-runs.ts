import type { Database } from "@touchstone/db";
import { countsRows, type GradingPlan, rowGradersOf } from "../grading/plan.ts";
import type { ResultStore } from "../results/result-store.ts";
import {
  type CaseTally,
  computeCaseRatings,
  computeCaseStatistics,
  type ResultTally,
} from "../statistics/result-tally.ts";
import type { Gradings } from "./gradings.ts";
import { readTallies, type TallyRecord } from "./result-tally-reader.ts";
import { createRunCounter, createSkipCounter, type RowCounts, type RunCounts } from "./run-counter.ts";
import type { StoredRun } from "./run-store.ts";

export interface CountingDependencies {
  database: Database;
  results: Pick<ResultStore, "pages">;
}

/** A run to count, with its grading. */
export interface CountedRun {
  id: string;
  plan: GradingPlan;
}

/** Runs whose rows are read at the same time; one page of each is in memory. */
const openedAtOnce = 4;

/**
 * Counts several runs, by run id. PostgreSQL counts runs with one judge; the ratings of several judges are in the rows, which
 * PostgreSQL's JSON operators cannot read if they contain a \u0000.
 */
export async function countRuns(
  { database, results }: CountingDependencies,
  projectId: string,
  runs: readonly CountedRun[],
): Promise<Map<string, RunCounts>> {
  const hasSeveral = ({ plan }: CountedRun) => rowGradersOf(plan).length > 0;
  const ofOne = runs.filter((run) => !hasSeveral(run)).map(({ id }) => id);
  const counts = ofOne.length === 0 ? new Map<string, RunCounts>() : await tallyRuns(database, projectId, ofOne);
  const opened = runs.filter(hasSeveral).values();
  const work = async (): Promise<void> => {
    for (const run of opened) counts.set(run.id, await countRows(results, projectId, run));
  };
  await Promise.all(Array.from({ length: openedAtOnce }, work));
  return counts;
}

/** Counts one run with its metrics. Reads its rows only if they may contain values to count. */
export async function countRun(
  { database, results, gradings }: CountingDependencies & { gradings: Pick<Gradings, "ofRun"> },
  projectId: string,
  { stored, plan }: { stored: StoredRun; plan: GradingPlan },
): Promise<RowCounts> {
  const { id, runSource } = stored;
  // A client's own scores are in no plan.
  const mayHaveValues = runSource === "external" || countsRows(plan) || (await hasScoredCases());
  if (mayHaveValues) return countRows(results, projectId, { id, plan });
  const counts = (await tallyRuns(database, projectId, [id])).get(id) as RunCounts;
  return { ...counts, metrics: [] };

  /** True if a case expects something that a deterministic scorer compares. */
  async function hasScoredCases(): Promise<boolean> {
    const { cases } = await gradings.ofRun(projectId, stored);
    return cases.some((one) => one.expectedTrajectory !== null || one.expectedRetrievalContext !== null);
  }
}

async function countRows(
  results: CountingDependencies["results"],
  projectId: string,
  { id, plan }: CountedRun,
): Promise<RowCounts> {
  const counter = createRunCounter(plan);
  for await (const page of results.pages(projectId, id)) for (const result of page) counter.add(result);
  return counter.end();
}

async function tallyRuns(
  database: Database,
  projectId: string,
  runIds: readonly string[],
): Promise<Map<string, RunCounts>> {
  const rows = await readTallies(database, projectId, runIds);
  const isRepeated = (row: TallyRecord): boolean => row.question_index !== null;
  const tallies = Map.groupBy(
    rows.filter((row) => !isRepeated(row)),
    (row) => row.run_id,
  );
  const cases = Map.groupBy(rows.filter(isRepeated), (row) => row.run_id);
  return new Map(
    runIds.map((id) => {
      const ofRun = (tallies.get(id) ?? []).map(readTally);
      const skips = createSkipCounter();
      for (const tally of ofRun) skips.add(tally);
      const ofCases = (cases.get(id) ?? []).map(readRepeated);
      return [
        id,
        {
          tallies: ofRun,
          graderTallies: [],
          caseStatistics: computeCaseStatistics(ofCases),
          caseRatings: computeCaseRatings([...ofCases, ...findSingle(ofRun, ofCases)]),
          skips: skips.end(),
        },
      ];
    }),
  );
}

/** The rated results without those of repeated cases: each is a separate case. */
function findSingle(tallies: readonly ResultTally[], repeated: readonly CaseTally[]): CaseTally[] {
  const counts = new Map<number, number>();
  for (const { isVariant, rating, count } of tallies) {
    if (!isVariant && rating !== null) counts.set(rating, (counts.get(rating) ?? 0) + count);
  }
  for (const { rating, count } of repeated) counts.set(rating as number, (counts.get(rating as number) ?? 0) - count);
  return [...counts].map(([rating, count]) => ({
    questionIndex: null,
    isVariant: false,
    status: "scored",
    rating,
    count,
  }));
}

const readTally = ({ is_variant: isVariant, status, rating, skip_reason: skipReason, count }: TallyRecord) => ({
  isVariant,
  status,
  rating,
  skipReason,
  count,
});

const readRepeated = (record: TallyRecord): CaseTally => ({
  ...readTally(record),
  questionIndex: Number(record.question_index),
});
