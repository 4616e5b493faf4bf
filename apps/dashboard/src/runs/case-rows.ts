import type { components, paths } from "../api/schema.gen.d.ts";

export type Run = components["schemas"]["Run"];
/** A result with what is known of its case. */
export type ResultRow =
  paths["/api/v1/custom-agent-evaluations/runs/{runId}/results"]["get"]["responses"][200]["content"]["application/json"]["results"][number];

/** Results of one case, and what all of its results say together. */
export interface CaseRow {
  key: string;
  questionIndex: number | null;
  question: string | null;
  /** Those that were read and match the filters: repetitions and paraphrases, in the order of the run; never empty. */
  results: ResultRow[];
  /** Figures of the whole case, whatever the filters leave. */
  ofCase: ResultRow["ofCase"];
  /** The worst of the repetitions: failed, then skipped. */
  status: ResultRow["status"];
  /** The repetition that is rated worst. */
  worst: ResultRow;
  /** In a line: why this one is rated as it is. */
  why: string | null;
}

/** A case in the URL: its question index; a result without a case is one by itself, and its id is the key. */
export function caseKeyOf({ questionIndex, _id }: Pick<ResultRow, "questionIndex" | "_id">): string {
  return questionIndex === null ? _id : String(questionIndex);
}

/** The opposite of {@link caseKeyOf}, as the API asks for the results of a case. */
export function caseQueryOf(key: string): { questionIndex: string } | { resultId: string } {
  return /^\d+$/.test(key) ? { questionIndex: key } : { resultId: key };
}

/** How a scorer rated a result; null = the rating of the result itself. A failed result is 0 for every scorer, as in the run's figures. */
export function ratingBy(result: ResultRow, scorerId: string | null): number | null {
  if (scorerId === null) return result.rating;
  if (result.status === "failed") return 0;
  return result.judgeScorerResults?.find((verdict) => verdict.scorerId === scorerId)?.rating ?? null;
}

/** What a scorer said of a result; null = the run's own rating. */
export function reasonBy(result: ResultRow, scorerId: string | null): string | null {
  if (scorerId === null || result.status === "failed") return result.justification;
  return result.judgeScorerResults?.find((verdict) => verdict.scorerId === scorerId)?.justification ?? null;
}

/** Of these results the one that a scorer rated worst; one that is not rated only where none is. Paraphrases come last. */
export function worstOf(results: readonly ResultRow[], scorerId: string | null): ResultRow | undefined {
  const badness = (result: ResultRow): number =>
    (result.isSmokeTestVariant ? 100 : 0) + (ratingBy(result, scorerId) ?? 50);
  return results.toSorted((one, other) => badness(one) - badness(other))[0];
}

/** Puts listed results together by case. They come in the order of the list, in which those of a case stand together. */
export function groupCases(results: readonly ResultRow[], scorerId: string | null): CaseRow[] {
  return [...Map.groupBy(results, caseKeyOf)].map(([key, members]) => {
    const originals = members.filter(({ isSmokeTestVariant }) => !isSmokeTestVariant);
    // Of a case of which only paraphrases are listed these are shown.
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

/** What narrows and orders the cases of a run, as the URL has it. */
export interface CaseSearch {
  scorer?: string | undefined;
  status?: ResultRow["status"] | undefined;
  /** Rated above it. */
  above?: number | undefined;
  /** Rated at most so. */
  max?: number | undefined;
  sort?: CaseOrder | undefined;
}
