import type { comparedRuns } from "@touchstone/contracts";
import { AppError, type Handler, readParameter, requireProject, runInSlices } from "@touchstone/service-kit";
import type { z } from "zod";
import { findScorer, type GradingPlan } from "../grading/plan.ts";
import { answerPieces } from "../json/answer-pieces.ts";
import type { AwaitedOutputs } from "../results/awaited-outputs.ts";
import type { OutlinedResult, ReadResult, ResultStore } from "../results/result-store.ts";
import type { ResultRow } from "../results/stored-result.ts";
import { type PlaceOf, readPlaces } from "../runs/align-cases.ts";
import type { Gradings } from "../runs/gradings.ts";
import { type RunRatings, readRatings, scorerOf, summarizeRatings } from "../runs/run-ratings.ts";
import { type RunStore, requireRun, type StoredRun } from "../runs/run-store.ts";
import { defaultMinEffect } from "../statistics/paired-verdict.ts";
import { compareRuns as comparePairwise } from "./check-gate.ts";
import { readVersionLabel } from "./compare-versions.ts";

type Comparison = z.input<typeof comparedRuns>;
type Side = Comparison["cases"][number]["baseline"];

/** A run with its results, without their rows. */
interface RunWithOutline {
  run: StoredRun;
  outline: readonly OutlinedResult[];
}

/** Options of a comparison besides its runs. */
interface ComparisonOptions {
  /** The scorer whose ratings are compared; null = the runs' own. */
  scorer: Comparison["comparedScorer"];
  /** Texts longer than this are truncated; null = no limit. */
  charsMax: number | null;
  /** The expected result of a case, by the candidate's question index, in its dataset version, else in the baseline's. */
  expectedOf(questionIndex: number): string | null;
}

/** One case of a run: its mean rating, and the result whose texts are shown. */
interface CaseOfRun {
  rating: number | null;
  shownId: string;
}

const absent: Side = {
  rating: null,
  output: null,
  justification: null,
  error: null,
  resultId: null,
  traceId: null,
  latencyMs: null,
  inputTokens: null,
  outputTokens: null,
};

/**
 * Compares two runs of a dataset case by case (completions 5.7), as pieces of JSON text. Cases have the question indexes of
 * the candidate. Variants are left out. For several repetitions the rating is the mean and the texts are those of the
 * first, which `pagesOf` reads.
 */
async function* renderComparison(
  [baseline, candidate]: readonly [RunWithOutline, RunWithOutline],
  pagesOf: (ids: readonly string[]) => AsyncIterable<readonly ReadResult[]>,
  { scorer, charsMax, expectedOf }: ComparisonOptions,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const cut = (text: string | null): string | null =>
    charsMax === null ? text : (text?.slice(0, charsMax).toWellFormed() ?? null);
  const before = casesOf(baseline.outline);
  const after = casesOf(candidate.outline);
  const indexes = [...new Set([...before.keys(), ...after.keys()])].sort(byIndex);
  const ratings = { baseline: ratingsOf(baseline), candidate: ratingsOf(candidate) };
  const members: Omit<Comparison, "cases"> = {
    baselineRun: describeRun(baseline, ratings.baseline),
    candidateRun: describeRun(candidate, ratings.candidate),
    comparedScorer: scorer,
    paired: await runInSlices(comparePairwise(ratings.baseline, ratings.candidate, defaultMinEffect), signal),
  };
  yield `${JSON.stringify(members).slice(0, -1)},"cases":[`;
  // Both are read in the same order, so that only one page of each is in memory.
  await using rowsBefore = readRows(pagesOf(shownIn(before, indexes)));
  await using rowsAfter = readRows(pagesOf(shownIn(after, indexes)));
  let separator = "";
  for (const questionIndex of indexes) {
    const [one, other] = [before.get(questionIndex), after.get(questionIndex)];
    const rowBefore = one && (await nextRow(rowsBefore));
    const rowAfter = other && (await nextRow(rowsAfter));
    const shown: Comparison["cases"][number] = {
      questionIndex,
      query: cut(queryOf(rowAfter) ?? queryOf(rowBefore)),
      expected: questionIndex === null ? null : cut(expectedOf(questionIndex)),
      baseline: sideOf(one, rowBefore, scorer?.id ?? null, cut),
      candidate: sideOf(other, rowAfter, scorer?.id ?? null, cut),
      delta: difference(one?.rating ?? null, other?.rating ?? null),
    };
    yield `${separator}${JSON.stringify(shown)}`;
    separator = ",";
  }
  yield "]}";
}

function ratingsOf({ run, outline }: RunWithOutline): RunRatings {
  return summarizeRatings(run.id, run.status === "in_progress", outline);
}

function describeRun({ run }: RunWithOutline, { averageRating }: RunRatings): Comparison["baselineRun"] {
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

function sideOf(
  found: CaseOfRun | undefined,
  row: ResultRow | undefined,
  scorerId: string | null,
  cut: (text: string | null) => string | null,
): Side {
  if (found === undefined || row === undefined) return absent;
  return {
    rating: found.rating,
    output: cut(row.output?.text ?? null),
    justification: cut(reasonOf(row, scorerId)),
    error: row.error,
    resultId: found.shownId,
    traceId: row.traceId,
    latencyMs: row.latencyMs,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
  };
}

/** The scorer's reason for the rating; a failed result fails for every scorer. */
function reasonOf({ justification, status, judgeScorerResults }: ResultRow, scorerId: string | null): string | null {
  if (scorerId === null || status === "failed") return justification;
  return judgeScorerResults?.find((said) => said.scorerId === scorerId)?.justification ?? null;
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : oneDecimal(after - before);
}

const oneDecimal = (value: number): number => Math.round(value * 10) / 10 + 0;

/** A result of the baseline by the candidate's question index. */
const placed = (result: OutlinedResult, placeOf: PlaceOf): OutlinedResult =>
  result.questionIndex === null ? result : { ...result, questionIndex: placeOf(result.questionIndex) };

/** Results without a case come last. */
const byIndex = (one: number | null, other: number | null): number =>
  (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY);

/** The length of a text with `view=preview`. */
const previewChars = 300;

/** GET /evaluate/runs/compare (completions 5.7). */
export function compareRuns({
  runs,
  results,
  gradings,
  awaited,
}: {
  runs: RunStore;
  results: ResultStore;
  gradings: Gradings;
  awaited: AwaitedOutputs;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const [baselineId, candidateId] = [readParameter(call.query, "baseline"), readParameter(call.query, "candidate")];
    if (baselineId === null || candidateId === null) {
      throw new AppError("bad_request", "baseline and candidate run ids are required");
    }
    const [before, after] = await Promise.all([
      requireRun(runs, projectId, baselineId),
      requireRun(runs, projectId, candidateId),
    ]);
    if (before.datasetId !== after.datasetId) {
      throw new AppError("bad_request", "The two runs are of different datasets");
    }
    const { requestId } = call.identity;
    await Promise.all([before, after].map((run) => awaited.ofRun(projectId, run, requestId)));
    const [ofBefore, ofAfter] = await Promise.all([
      gradings.ofRun(projectId, before),
      gradings.ofRun(projectId, after),
    ]);
    // A scorer that only one of the runs has leaves the other unrated.
    const scorer = findScorer([ofAfter.plan, ofBefore.plan], readParameter(call.query, "scorer"));
    const placeOf = (await readPlaces(gradings, projectId, [before, after])) ?? ((index) => index);
    const outline = async (run: StoredRun, plan: GradingPlan, place: PlaceOf): Promise<RunWithOutline> => {
      const of = { projectId, runId: run.id, scorer: scorerOf(plan, scorer?.id ?? null) };
      const found = await readRatings(results, of);
      return { run, outline: found.map((result) => placed(result, place)) };
    };
    const compared = await Promise.all([
      outline(before, ofBefore.plan, placeOf),
      outline(after, ofAfter.plan, (index) => index),
    ]);
    const expectedBefore = new Map(ofBefore.cases.map((each, index) => [placeOf(index), each.expectedResults]));
    const options = {
      scorer,
      charsMax: readParameter(call.query, "view") === "preview" ? previewChars : null,
      expectedOf: (index: number) => ofAfter.cases[index]?.expectedResults ?? expectedBefore.get(index) ?? null,
    };
    const pagesOf = (ids: readonly string[]) => results.pagesOf(projectId, ids);
    return answerPieces(renderComparison(compared, pagesOf, options, call.signal));
  };
}
