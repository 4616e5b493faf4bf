import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useApi } from "../shell/session.tsx";
import {
  type CaseFilters,
  type CaseOrder,
  type CaseRow,
  filterCases,
  groupCases,
  type Run,
  sortCases,
} from "./case-rows.ts";
import { comparisonQuery, pairedGateQuery } from "./queries.ts";

export interface RunCases {
  /** Every case that was read. */
  all: readonly CaseRow[];
  /** Those that the view shows, in its order. */
  shown: readonly CaseRow[];
  /** The run that deltas are against: the newest completed one before; null when there is none. */
  baselineId: string | null;
  /** Whose ratings are shown; null = the run's own. */
  scorerId: string | null;
}

/** The cases of a run as the URL asks for them, each with its difference to the run before. */
export function useRunCases(
  run: Run,
  search: CaseFilters & { scorer?: string | undefined; sort?: CaseOrder | undefined },
): RunCases {
  const api = useApi();
  const scorerId =
    run.scorerBreakdown?.find(({ scorerId: id, primary }) => !primary && id === search.scorer)?.scorerId ?? null;
  const gate = useQuery(pairedGateQuery(api, run._id, scorerId ?? undefined));
  const baselineId = gate.data?.baselineRunId ?? null;
  const comparison = useQuery({
    ...comparisonQuery(api, baselineId ?? "", run._id),
    // Deltas are of the run's own ratings.
    enabled: baselineId !== null && scorerId === null,
  });
  const all = useMemo(() => {
    const baseline = new Map<number, number>();
    for (const { questionIndex, baseline: before } of comparison.data?.cases ?? []) {
      if (questionIndex !== null && before.rating !== null) baseline.set(questionIndex, before.rating);
    }
    return groupCases(run.results, { scorerId, baseline });
  }, [run.results, scorerId, comparison.data]);
  const { status, above, max, sort = "rating" } = search;
  const shown = useMemo(
    () => sortCases(filterCases(all, { status, above, max }), sort),
    [all, status, above, max, sort],
  );
  return { all, shown, baselineId, scorerId };
}
