import type { components, paths } from "../api/schema.gen.d.ts";

export type Run = components["schemas"]["Run"];
/** A result with the known data of its case. */
export type ResultRow =
  paths["/api/v1/custom-agent-evaluations/runs/{runId}/results"]["get"]["responses"][200]["content"]["application/json"]["results"][number];

/** Results of one case, and figures over all of its results. */
export interface CaseRow {
  key: string;
  questionIndex: number | null;
  question: string | null;
  /** The loaded results that match the filters, repetitions and paraphrases, in the order of the run; never empty. */
  results: ResultRow[];
  /** Figures of the whole case, regardless of the filters. */
  ofCase: ResultRow["ofCase"];
  /** The worst status of the repetitions: failed, then skipped. */
  status: ResultRow["status"];
  /** The repetition with the worst rating. */
  worst: ResultRow;
  /** The reason for its rating, in one line. */
  why: string | null;
}

/** The key of a case in the URL: its question index; a result without a case is a case by itself, and its id is the key. */
export function caseKeyOf({ questionIndex, _id }: Pick<ResultRow, "questionIndex" | "_id">): string {
  return questionIndex === null ? _id : String(questionIndex);
}

/** The inverse of {@link caseKeyOf}, as query parameters of the API. */
export function caseQueryOf(key: string): { questionIndex: string } | { resultId: string } {
  return /^\d+$/.test(key) ? { questionIndex: key } : { resultId: key };
}

/**
 * A scorer's rating of a result; null means the result's own rating. A failed result is 0 for every scorer, as in the run's
 * figures.
 */
export function ratingBy(result: ResultRow, scorerId: string | null): number | null {
  if (scorerId === null) return result.rating;
  if (result.status === "failed") return 0;
  return result.judgeScorerResults?.find((verdict) => verdict.scorerId === scorerId)?.rating ?? null;
}

/** A scorer's reason for its rating of a result; null means the run's own rating. */
export function reasonBy(result: ResultRow, scorerId: string | null): string | null {
  if (scorerId === null || result.status === "failed") return result.justification;
  return result.judgeScorerResults?.find((verdict) => verdict.scorerId === scorerId)?.justification ?? null;
}

/** The result that a scorer rated worst; an unrated one only if all are unrated. Paraphrases come last. */
export function worstOf(results: readonly ResultRow[], scorerId: string | null): ResultRow | undefined {
  const badness = (result: ResultRow): number =>
    (result.isSmokeTestVariant ? 100 : 0) + (ratingBy(result, scorerId) ?? 50);
  return results.toSorted((one, other) => badness(one) - badness(other))[0];
}

/** Groups listed results by case, in the order of the list, in which the results of a case are adjacent. */
export function groupCases(results: readonly ResultRow[], scorerId: string | null): CaseRow[] {
  return [...Map.groupBy(results, caseKeyOf)].map(([key, members]) => {
    const originals = members.filter(({ isSmokeTestVariant }) => !isSmokeTestVariant);
    // If only paraphrases of a case are listed, they are shown.
    const shown = originals.length > 0 ? originals : members;
    const worst = worstOf(shown, scorerId) as ResultRow;
    return {
      key,
      questionIndex: worst.questionIndex,
      question: worst.questionText ?? worst.input?.query ?? null,
      results: members,
      ofCase: worst.ofCase,
      status: (["failed", "skipped", "scored"] as const).find((status) =>
        shown.some((each) => each.status === status),
      ) as ResultRow["status"],
      worst,
      why: reasonBy(worst, scorerId),
    };
  });
}

export const caseOrders = ["case", "rating", "-rating", "spread", "delta"] as const;
export type CaseOrder = (typeof caseOrders)[number];

/** The filters and the order of a run's cases, as in the URL. */
export interface CaseSearch {
  scorer?: string | undefined;
  status?: ResultRow["status"] | undefined;
  /** Exclusive lower bound of the rating. */
  above?: number | undefined;
  /** Inclusive upper bound of the rating. */
  max?: number | undefined;
  sort?: CaseOrder | undefined;
}
