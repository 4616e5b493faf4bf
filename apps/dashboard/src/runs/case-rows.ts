import type { components } from "../api/schema.gen.d.ts";

export type Run = components["schemas"]["Run"];
export type ResultRow = Run["results"][number];

/** All results of one case, and what they say together. */
export interface CaseRow {
  /** The question index as it stands in the URL; of a result without a case its place among those, as `none-0`. */
  key: string;
  questionIndex: number | null;
  question: string | null;
  /** The repetitions; never empty. */
  results: ResultRow[];
  /** Paraphrases, which count in no figure. */
  variants: ResultRow[];
  /** Mean of the repetitions that are rated; null when none is. */
  rating: number | null;
  /** From the least to the greatest rating; null below two. */
  spread: { least: number; greatest: number } | null;
  /** The worst of the repetitions: failed, then skipped. */
  status: ResultRow["status"];
  /** The mean less the baseline's; null where one of the two is not rated. */
  delta: number | null;
  /** In a line: why the worst repetition is rated as it is. */
  why: string | null;
}

/** How a scorer rated a result; null = the rating of the result itself. A failed result is 0 for every scorer, as in the run's figures. */
export function ratingBy(result: ResultRow, scorerId: string | null): number | null {
  if (scorerId === null) return result.rating;
  if (result.status === "failed") return 0;
  return result.judgeScorerResults?.find((verdict) => verdict.scorerId === scorerId)?.rating ?? null;
}

/** What a scorer said of a result; null = the run's own rating. */
function reasonBy(result: ResultRow, scorerId: string | null): string | null {
  if (scorerId === null || result.status === "failed") return result.justification;
  return result.judgeScorerResults?.find((verdict) => verdict.scorerId === scorerId)?.justification ?? null;
}

/** Puts the results of a run together by case, in the order of the cases; those without one come last, each by itself. */
export function groupCases(
  results: readonly ResultRow[],
  { scorerId, baseline }: { scorerId: string | null; baseline: ReadonlyMap<number, number> },
): CaseRow[] {
  let alone = 0;
  const groups = Map.groupBy(results, ({ questionIndex }) =>
    questionIndex === null ? `none-${alone++}` : String(questionIndex),
  );
  return [...groups].flatMap(([key, members]) => {
    const originals = members.filter(({ isSmokeTestVariant }) => !isSmokeTestVariant);
    // A case of which only paraphrases are there yet shows these.
    const shown = originals.length > 0 ? originals : members;
    const [first] = shown;
    if (first === undefined) return [];
    const rated = shown
      .map((result) => ({ result, rating: ratingBy(result, scorerId) }))
      .filter((each): each is { result: ResultRow; rating: number } => each.rating !== null);
    const ratings = rated.map(({ rating }) => rating);
    const rating = mean(ratings);
    const before = first.questionIndex === null ? undefined : baseline.get(first.questionIndex);
    const worst = rated.toSorted((one, other) => one.rating - other.rating)[0]?.result ?? first;
    return {
      key,
      questionIndex: first.questionIndex,
      question: first.questionText ?? first.input?.query ?? null,
      results: shown,
      variants: members.filter((member) => !shown.includes(member)),
      rating,
      spread: ratings.length < 2 ? null : { least: Math.min(...ratings), greatest: Math.max(...ratings) },
      status: (["failed", "skipped", "scored"] as const).find((status) =>
        shown.some((each) => each.status === status),
      ) as ResultRow["status"],
      delta: rating === null || before === undefined ? null : rating - before,
      why: reasonBy(worst, scorerId),
    };
  });
}

export interface CaseFilters {
  status?: string | undefined;
  /** Rated above it. */
  above?: number | undefined;
  /** Rated at most so. */
  max?: number | undefined;
}

/** The cases that a view shows: one of whose repetitions has the status, and whose rating lies in the range. */
export function filterCases(rows: readonly CaseRow[], { status, above, max }: CaseFilters): CaseRow[] {
  return rows.filter(
    ({ results, rating }) =>
      (status === undefined || results.some((result) => result.status === status)) &&
      (above === undefined || (rating !== null && rating > above)) &&
      (max === undefined || (rating !== null && rating <= max)),
  );
}

export const caseOrders = ["case", "rating", "-rating", "spread", "delta"] as const;
export type CaseOrder = (typeof caseOrders)[number];

/** The rows in an order: worst rating, best rating, greatest spread or greatest loss first. What has no value comes last. */
export function sortCases(rows: readonly CaseRow[], order: CaseOrder): CaseRow[] {
  const values: Record<CaseOrder, (row: CaseRow) => number | null> = {
    case: ({ questionIndex }) => questionIndex,
    rating: ({ rating }) => rating,
    "-rating": ({ rating }) => (rating === null ? null : -rating),
    spread: ({ spread }) => (spread === null ? null : spread.least - spread.greatest),
    delta: ({ delta }) => delta,
  };
  const value = (row: CaseRow): number => values[order](row) ?? Number.POSITIVE_INFINITY;
  return rows.toSorted((one, other) => compare(value(one), value(other)) || compare(numberOf(one), numberOf(other)));
}

const numberOf = ({ questionIndex }: CaseRow): number => questionIndex ?? Number.POSITIVE_INFINITY;
const compare = (one: number, other: number): number => (one === other ? 0 : one < other ? -1 : 1);

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
