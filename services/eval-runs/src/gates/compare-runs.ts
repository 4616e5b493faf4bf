import type { comparedRuns } from "@touchstone/contracts";
import type { z } from "zod";
import type { ReadResult } from "../results/result-store.ts";
import type { ResultRow } from "../results/stored-result.ts";
import type { StoredRun } from "../runs/run-store.ts";
import { defaultMinEffect } from "../statistics/paired-verdict.ts";
import { compareRuns as comparePairwise } from "./check-gate.ts";
import { summarizeRatings } from "./run-ratings.ts";
import { readVersionLabel } from "./version-label.ts";

type Comparison = z.input<typeof comparedRuns>;
type Side = Comparison["cases"][number]["baseline"];

/** A run with its results. */
export interface RunWithResults {
  run: StoredRun;
  results: readonly ReadResult[];
}

/** One case as a run answered it: its question, and the side of the comparison. */
interface CaseOfRun extends Side {
  query: string | null;
}

const absent: Side = { rating: null, output: null, justification: null, error: null };

/**
 * Puts two runs of a dataset side by side, case by case (completions 5.7). Variants are left out. Of several repetitions
 * the rating is the mean and the texts are the first one's.
 */
export function composeComparison(baseline: RunWithResults, candidate: RunWithResults): Comparison {
  const before = casesOf(baseline.results);
  const after = casesOf(candidate.results);
  const indexes = [...new Set([...before.keys(), ...after.keys()])].sort(byIndex);
  return {
    baselineRun: describeRun(baseline),
    candidateRun: describeRun(candidate),
    cases: indexes.map((questionIndex) => {
      const [one, other] = [before.get(questionIndex), after.get(questionIndex)];
      return {
        questionIndex,
        query: other?.query ?? one?.query ?? null,
        baseline: sideOf(one),
        candidate: sideOf(other),
        delta: difference(one?.rating ?? null, other?.rating ?? null),
      };
    }),
    paired: comparePairwise(ratingsOf(baseline), ratingsOf(candidate), defaultMinEffect),
  };
}

function ratingsOf({ run, results }: RunWithResults) {
  const rows = results.map((result) => ({ ...result, judges: null }));
  return summarizeRatings(run.id, run.status === "in_progress", rows);
}

function describeRun({ run, results }: RunWithResults): Comparison["baselineRun"] {
  return {
    runId: run.id,
    createdAt: run.createdAt.toISOString(),
    version: readVersionLabel(run.evaluationSubject),
    averageRating: ratingsOf({ run, results }).averageRating,
  };
}

function casesOf(results: readonly ReadResult[]): Map<number | null, CaseOfRun> {
  const cases = new Map<number | null, CaseOfRun>();
  const originals = Map.groupBy(
    results.filter((result) => !result.isVariant),
    (result) => result.questionIndex,
  );
  for (const [index, repetitions] of originals) {
    const row = JSON.parse(repetitions[0]?.rowText as string) as ResultRow;
    const ratings = repetitions.flatMap(({ rating }) => (rating === null ? [] : [rating]));
    cases.set(index, {
      query: row.questionText ?? row.input?.query ?? null,
      rating:
        ratings.length === 0 ? null : oneDecimal(ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length),
      output: row.output?.text ?? null,
      justification: row.justification,
      error: row.error,
    });
  }
  return cases;
}

function sideOf(found: CaseOfRun | undefined): Side {
  if (found === undefined) return absent;
  const { rating, output, justification, error } = found;
  return { rating, output, justification, error };
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : oneDecimal(after - before);
}

const oneDecimal = (value: number): number => Math.round(value * 10) / 10 + 0;

/** Results without a case come last. */
const byIndex = (one: number | null, other: number | null): number =>
  (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY);
