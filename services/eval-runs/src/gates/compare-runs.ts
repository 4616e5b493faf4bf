import type { comparedRuns } from "@touchstone/contracts";
import { runInSlices } from "@touchstone/service-kit";
import type { z } from "zod";
import type { OutlinedResult, ReadResult } from "../results/result-store.ts";
import type { ResultRow } from "../results/stored-result.ts";
import type { StoredRun } from "../runs/run-store.ts";
import { defaultMinEffect } from "../statistics/paired-verdict.ts";
import { compareRuns as comparePairwise, type GatedRun } from "./check-gate.ts";
import { summarizeRatings } from "./run-ratings.ts";
import { readVersionLabel } from "./version-label.ts";

type Comparison = z.input<typeof comparedRuns>;
type Side = Comparison["cases"][number]["baseline"];

/** A run with its results, without their rows. */
export interface RunWithOutline {
  run: StoredRun;
  outline: readonly OutlinedResult[];
}

/** One case of a run: its mean rating, and the result whose texts are shown. */
interface CaseOfRun {
  rating: number | null;
  shownId: string;
}

const absent: Side = { rating: null, output: null, justification: null, error: null };

/**
 * Puts two runs of a dataset side by side, case by case (completions 5.7), as pieces of JSON text. Variants are left
 * out. Of several repetitions the rating is the mean and the texts are the first one's; `pagesOf` reads these.
 */
export async function* renderComparison(
  baseline: RunWithOutline,
  candidate: RunWithOutline,
  pagesOf: (ids: readonly string[]) => AsyncIterable<readonly ReadResult[]>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const before = casesOf(baseline.outline);
  const after = casesOf(candidate.outline);
  const indexes = [...new Set([...before.keys(), ...after.keys()])].sort(byIndex);
  const ratings = { baseline: ratingsOf(baseline), candidate: ratingsOf(candidate) };
  const members: Omit<Comparison, "cases"> = {
    baselineRun: describeRun(baseline, ratings.baseline),
    candidateRun: describeRun(candidate, ratings.candidate),
    paired: await runInSlices(comparePairwise(ratings.baseline, ratings.candidate, defaultMinEffect), signal),
  };
  yield `${JSON.stringify(members).slice(0, -1)},"cases":[`;
  // Both are read in one order, side by side, so that a page of each is all that is held.
  await using rowsBefore = readRows(pagesOf(shownIn(before, indexes)));
  await using rowsAfter = readRows(pagesOf(shownIn(after, indexes)));
  let separator = "";
  for (const questionIndex of indexes) {
    const [one, other] = [before.get(questionIndex), after.get(questionIndex)];
    const rowBefore = one && (await nextRow(rowsBefore));
    const rowAfter = other && (await nextRow(rowsAfter));
    const shown: Comparison["cases"][number] = {
      questionIndex,
      query: queryOf(rowAfter) ?? queryOf(rowBefore),
      baseline: sideOf(one, rowBefore),
      candidate: sideOf(other, rowAfter),
      delta: difference(one?.rating ?? null, other?.rating ?? null),
    };
    yield `${separator}${JSON.stringify(shown)}`;
    separator = ",";
  }
  yield "]}";
}

function ratingsOf({ run, outline }: RunWithOutline): GatedRun {
  return summarizeRatings(run.id, run.status === "in_progress", outline);
}

function describeRun({ run }: RunWithOutline, { averageRating }: GatedRun): Comparison["baselineRun"] {
  return {
    runId: run.id,
    createdAt: run.createdAt.toISOString(),
    version: readVersionLabel(run.evaluationSubject),
    averageRating,
  };
}

function casesOf(outline: readonly OutlinedResult[]): Map<number | null, CaseOfRun> {
  const cases = new Map<number | null, CaseOfRun>();
  const originals = Map.groupBy(
    outline.filter((result) => !result.isVariant),
    (result) => result.questionIndex,
  );
  for (const [index, repetitions] of originals) {
    const ratings = repetitions.flatMap(({ rating }) => (rating === null ? [] : [rating]));
    cases.set(index, {
      rating:
        ratings.length === 0 ? null : oneDecimal(ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length),
      shownId: (repetitions[0] as OutlinedResult).id,
    });
  }
  return cases;
}

const shownIn = (cases: ReadonlyMap<number | null, CaseOfRun>, indexes: readonly (number | null)[]): string[] =>
  indexes.flatMap((index) => cases.get(index)?.shownId ?? []);

async function* readRows(pages: AsyncIterable<readonly ReadResult[]>): AsyncGenerator<ResultRow, undefined> {
  for await (const page of pages) for (const { rowText } of page) yield JSON.parse(rowText) as ResultRow;
  return undefined;
}

async function nextRow(rows: AsyncGenerator<ResultRow, undefined>): Promise<ResultRow> {
  return (await rows.next()).value as ResultRow;
}

const queryOf = (row: ResultRow | undefined): string | null => row?.questionText ?? row?.input?.query ?? null;

function sideOf(found: CaseOfRun | undefined, row: ResultRow | undefined): Side {
  if (found === undefined || row === undefined) return absent;
  return {
    rating: found.rating,
    output: row.output?.text ?? null,
    justification: row.justification,
    error: row.error,
  };
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : oneDecimal(after - before);
}

const oneDecimal = (value: number): number => Math.round(value * 10) / 10 + 0;

/** Results without a case come last. */
const byIndex = (one: number | null, other: number | null): number =>
  (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY);
