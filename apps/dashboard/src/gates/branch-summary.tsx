import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { Time } from "../ui/page.tsx";
import { Outcome } from "./outcome.tsx";
import { newestVerdictsQuery } from "./queries.ts";
import { VerdictLink } from "./verdict-link.tsx";
import { datasetName, defaultBranch, newestOn, type Verdict } from "./verdicts.ts";

const route = getRouteApi("/p/$projectId/gates");

/** The newest verdict of each dataset on one branch: the selected one, else the most frequent one. */
export function BranchSummary({
  recent,
  branches,
  names,
}: {
  /** Of all branches; shown until those of the branch are read. */
  recent: Verdict[];
  branches: readonly string[];
  names: ReadonlyMap<string, string> | undefined;
}) {
  const branch = route.useSearch().branch ?? defaultBranch(branches);
  const { data: verdicts = recent } = useQuery({
    ...newestVerdictsQuery(useApi(), branch),
    placeholderData: recent,
    enabled: branch !== undefined,
  });
  const newest = branch === undefined ? [] : newestOn(verdicts, branch);
  if (newest.length === 0) return null;
  return (
    <section aria-labelledby="newest" className="px-4 pb-4 md:px-6">
      <h2 id="newest" className="m-0 mb-2 text-sm text-soft">
        Newest on <span className="text-ink">{branch}</span>
      </h2>
      <ul className="m-0 grid list-none gap-2 p-0 max-md:grid-flow-col max-md:auto-cols-[minmax(15rem,1fr)] max-md:overflow-x-auto md:grid-cols-[repeat(auto-fill,minmax(18rem,1fr))]">
        {newest.map((verdict) => (
          <li key={verdict.key} className="min-w-0">
            <VerdictLink
              verdict={verdict}
              className="block h-full rounded-md border border-line px-3 py-2 text-ink no-underline hover:bg-hover"
            >
              <span className="flex items-baseline justify-between gap-3">
                <span className="min-w-0 truncate font-medium">{datasetName(names, verdict.datasetId)}</span>
                <Outcome outcome={verdict.outcome} />
              </span>
              <span className="mt-1 line-clamp-2 text-soft">{verdict.reason}</span>
              <span className="mt-1 flex justify-between gap-3 text-xs text-faint">
                <code>{verdict.commit}</code>
                <Time iso={verdict.createdAt} isAge />
              </span>
            </VerdictLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
