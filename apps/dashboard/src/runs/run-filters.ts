import { flag, list, oneOf, pickSet, searchOf, text } from "../ui/search-params.ts";
import { momentOf } from "../ui/time-windows.ts";

/** The search parameters of the list. */
export const readRunsSearch = searchOf({
  search: text,
  /** An id. */
  dataset: text,
  /** The name of an agent. */
  subject: text,
  /** A version of the agent. */
  version: text,
  /** Only runs that a comparison of versions counts. */
  judged: flag,
  /** `sdk`, `ci`, or another source of the run. */
  source: text,
  status: oneOf(["in_progress", "completed", "failed"]),
  /** ISO 8601, or a window such as `24h`, so that a link to the last day remains one. */
  from: text,
  to: text,
  /** Runs to compare. */
  selected: list,
});

export type RunsSearch = ReturnType<typeof readRunsSearch>;

const filterNames = [
  "search",
  "dataset",
  "subject",
  "version",
  "judged",
  "source",
  "status",
  "from",
  "to",
] as const satisfies readonly (keyof RunsSearch)[];

/** The filters in the search. */
export type RunFilters = { [Name in (typeof filterNames)[number]]?: RunsSearch[Name] | undefined };

export function filtersOf(search: RunsSearch): RunFilters {
  return pickSet(search, filterNames);
}

/** The filters as parameters of the API. */
export function runListQueryOf(
  { search, dataset, subject, version, judged, source, status, from, to }: RunFilters,
  now = Date.now(),
) {
  return {
    caseStatistics: "none",
    ...(search !== undefined && { search }),
    ...(dataset !== undefined && { datasetId: dataset }),
    ...(subject !== undefined && { subject }),
    ...(version !== undefined && { version }),
    ...(judged && { judged: "true" }),
    ...(source !== undefined && { runSource: source }),
    ...(status !== undefined && { status }),
    ...(from !== undefined && { from: momentOf(from, now) }),
    ...(to !== undefined && { to: momentOf(to, now) }),
  };
}
