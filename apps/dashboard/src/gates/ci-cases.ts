import type { components } from "../api/schema.gen.d.ts";

type Violation = NonNullable<components["schemas"]["CiRunDetail"]["violations"]>[number];

/** What is read of a result. */
export interface CaseResult {
  questionIndex: number | null;
  rating: number | null;
  justification: string | null;
  error: { message?: string | undefined } | null;
  questionText?: string | null | undefined;
  input?: { query?: string | null | undefined } | null | undefined;
}

/** A case of a CI run, with the expectations that it missed. */
export interface CiCase<Result extends CaseResult = CaseResult> {
  index: number;
  question: string | null;
  misses: Violation[];
  /** Undefined: the case was not answered. */
  result: Result | undefined;
}

/** The cases that a CI run failed on: those not answered first, then by rating. */
export function failingCases<Result extends CaseResult>(
  violations: readonly Violation[],
  results: readonly Result[],
): CiCase<Result>[] {
  const byIndex = new Map(results.map((result) => [result.questionIndex, result]));
  const missesOf = Map.groupBy(violations, ({ question_index: index }) => index);
  return [...missesOf]
    .map(([index, misses]) => {
      const result = byIndex.get(index);
      const question = misses[0]?.question_text ?? questionOf(result);
      return { index, question, misses, result };
    })
    .sort((one, other) => (one.result?.rating ?? -1) - (other.result?.rating ?? -1));
}

/** The answered cases that missed no expectation, in the order of the dataset. */
export function passedCases<Result extends CaseResult>(
  violations: readonly Violation[],
  results: readonly Result[],
): CiCase<Result>[] {
  const failed = new Set(violations.map(({ question_index: index }) => index));
  return results
    .flatMap((result) => {
      const { questionIndex: index } = result;
      const hasPassed = index !== null && !failed.has(index);
      return hasPassed ? [{ index, question: questionOf(result), misses: [], result }] : [];
    })
    .sort((one, other) => one.index - other.index);
}

const questionOf = (result: CaseResult | undefined): string | null =>
  result?.questionText ?? result?.input?.query ?? null;

/** The threshold of the rating that a case missed; null if its rating is not what failed. */
export function missedThreshold({ misses }: Pick<CiCase, "misses">): number | null {
  return misses.find(({ metric }) => metric === "rating")?.threshold ?? null;
}

/** The failed expectation of a case, in a sentence; null for a rating, which is shown beside it. */
export function missText({ metric, threshold, actual }: Violation): string | null {
  if (metric === "missing") return "Not answered.";
  if (actual === null) return metric === "rating" ? "Not rated." : `${metric} could not be measured.`;
  if (metric === "rating") return null;
  return `${metric} ${rounded(actual)} is below ${rounded(threshold)}.`;
}

const rounded = (value: number): number => Number(value.toFixed(2));
