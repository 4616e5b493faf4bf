import type { paths } from "../api/schema.gen.d.ts";

export type Comparison = paths["/api/v1/evaluate/runs/compare"]["get"]["responses"][200]["content"]["application/json"];
export type ComparedCase = Comparison["cases"][number];

/** The change of a case: worse or better by at least the least effect, about the same, or not rated on both sides. */
export type Change = "worse" | "same" | "better" | "unrated";

export interface CompareRow extends ComparedCase {
  /** The question index in the URL; `none` for results without a case. */
  key: string;
  change: Change;
}

/** The cases of a comparison in their order. */
export function compareRows({
  cases,
  paired,
}: Pick<Comparison, "cases"> & { paired: { minEffect: number } }): CompareRow[] {
  return cases.map((each) => ({
    ...each,
    key: String(each.questionIndex ?? "none"),
    change: changeOf(each.delta, paired.minEffect),
  }));
}

export const compareOrders = ["delta", "-delta", "case", "baseline", "candidate"] as const;
export type CompareOrder = (typeof compareOrders)[number];

/** The rows ordered by the greatest loss, the greatest gain, or the worst rating of a side. Rows without a value come last. */
export function sortRows(rows: readonly CompareRow[], order: CompareOrder): CompareRow[] {
  const values: Record<CompareOrder, (row: CompareRow) => number | null> = {
    delta: ({ delta }) => delta,
    "-delta": ({ delta }) => (delta === null ? null : -delta),
    case: ({ questionIndex }) => questionIndex,
    baseline: ({ baseline }) => baseline.rating,
    candidate: ({ candidate }) => candidate.rating,
  };
  const value = (row: CompareRow): number => values[order](row) ?? Number.POSITIVE_INFINITY;
  return rows.toSorted((one, other) => value(one) - value(other) || 0);
}

function changeOf(delta: number | null, minEffect: number): Change {
  if (delta === null) return "unrated";
  if (delta <= -minEffect) return "worse";
  return delta >= minEffect ? "better" : "same";
}

/** The cases of a view: one kind of change, all changes, or those with an error on a side. */
export const shows = ["changed", "worse", "same", "better", "unrated", "errors"] as const;
export type Show = (typeof shows)[number];

export function showRows(rows: readonly CompareRow[], show: Show | undefined): CompareRow[] {
  return rows.filter((row) => show === undefined || isShown(row, show));
}

function isShown({ change, baseline, candidate }: CompareRow, show: Show): boolean {
  if (show === "errors") return baseline.error !== null || candidate.error !== null;
  if (show === "changed") return change === "worse" || change === "better";
  return change === show;
}

/** The number of cases in each view. */
export function countShows(rows: readonly CompareRow[]): Record<Show, number> {
  return Object.fromEntries(shows.map((show) => [show, showRows(rows, show).length])) as Record<Show, number>;
}
