import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Page } from "../ui/page.tsx";
import { Compare } from "./compare.tsx";
import { PickTwo } from "./pick-two.tsx";

const route = getRouteApi("/p/$projectId/runs/compare");

/** A case-by-case comparison of runs of one dataset: each candidate against the baseline. */
export function ComparePage() {
  const { baseline, candidate } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/compare" });
  if (baseline === undefined || candidate === undefined) {
    return (
      <Page title="Compare runs">
        <PickTwo />
      </Page>
    );
  }
  const candidates = [...new Set(candidate)].filter((id) => id !== baseline);
  return (
    <Compare
      baseline={baseline}
      candidates={candidates}
      onChange={(next) =>
        void navigate({ search: (before) => ({ ...before, of: undefined, case: undefined, ...next }) })
      }
    />
  );
}
