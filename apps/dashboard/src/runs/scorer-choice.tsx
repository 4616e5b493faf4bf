import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FilterMenu } from "../ui/filter-menu.tsx";
import type { Run } from "./case-rows.ts";

const route = getRouteApi("/p/$projectId/runs/compare");

/** The scorer whose ratings are compared, if further judges rated the runs. */
export function ScorerChoice({ runs }: { runs: readonly (Run | undefined)[] }) {
  const { scorer } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/compare" });
  const judges = new Map(
    runs
      .flatMap((run) => run?.scorerBreakdown ?? [])
      .filter(({ primary }) => !primary)
      .map(({ scorerId, name }) => [scorerId, name ?? scorerId]),
  );
  if (judges.size === 0 && scorer === undefined) return null;
  return (
    <FilterMenu
      label="Rated by"
      all="The runs' own judge"
      chosen={scorer}
      options={[...judges].map(([value, label]) => ({ value, label }))}
      onChoose={(next) => void navigate({ search: (before) => ({ ...before, scorer: next }) })}
    />
  );
}
