import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { runsQuery } from "./queries.ts";
import { runName } from "./run-label.ts";
import { newestPairs } from "./selected-runs.ts";

/** Shown before two runs are chosen: how to choose them, and the newest pair of each dataset. */
export function PickTwo() {
  const api = useApi();
  const runs = useInfiniteQuery(runsQuery(api, { status: "completed" }));
  return (
    <EmptyState
      title="Pick two runs"
      actions={
        <ButtonLink to="/p/$projectId/runs" params={{ projectId: api.projectId }} look="primary">
          Choose among all runs
        </ButtonLink>
      }
    >
      <p className="m-0 mb-4">
        Select two runs or more of one dataset in the list and press Compare. The oldest of them is the baseline.
      </p>
      <Loaded query={runs}>
        {({ pages }) => (
          <ul className="m-0 flex list-none flex-col gap-2 p-0">
            {newestPairs(pages.flatMap((page) => page.runs)).map(({ baseline, candidate }) => (
              <li key={candidate._id}>
                <Link
                  to="/p/$projectId/runs/compare"
                  params={{ projectId: api.projectId }}
                  search={{ baseline: baseline._id, candidate: [candidate._id] }}
                  className="text-accent"
                >
                  {candidate.datasetName ?? "Dataset"}: {runName(baseline)} → {runName(candidate)}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </EmptyState>
  );
}
