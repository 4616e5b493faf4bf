import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { formatCount, formatShare } from "../ui/format.ts";
import { Score } from "../ui/score.tsx";
import type { Run } from "./case-rows.ts";
import { metricKey } from "./metric-values.ts";

const route = getRouteApi("/p/$projectId/runs/$runId");
const box = "flex min-w-0 items-baseline gap-2 rounded-sm border px-2.5 py-1 max-md:min-h-11 max-md:items-center";

/** The figures of each judge, metric and code scorer. Each links to its values in the table of cases. */
export function ScorerFigures({ run, chosen }: { run: Run; chosen: string | null }) {
  const { metrics } = run;
  const { metric } = route.useSearch();
  if (run.scorerBreakdown === null && metrics.length === 0) return null;
  return (
    <ul aria-label="Scorers" className="m-0 flex list-none flex-wrap gap-2 p-0">
      {run.scorerBreakdown?.map(({ scorerId, name, primary, averageRating, scored }) => (
        <li key={scorerId}>
          <FigureLink
            shown={{ scorer: primary ? undefined : scorerId }}
            isChosen={primary ? chosen === null : chosen === scorerId}
          >
            <span className="truncate">{name ?? scorerId}</span>
            <Score rating={averageRating} scorer={`mean of ${formatCount(scored)} results`} />
          </FigureLink>
        </li>
      ))}
      {metrics.map((figure) => (
        <li key={metricKey(figure)}>
          <FigureLink
            shown={{ metric: metric === metricKey(figure) ? undefined : metricKey(figure) }}
            isChosen={metric === metricKey(figure)}
          >
            <span className="truncate">{figure.name}</span>
            <span className="tabular-nums">{metricText(figure)}</span>
          </FigureLink>
        </li>
      ))}
    </ul>
  );
}

function FigureLink({
  shown,
  isChosen,
  children,
}: {
  /** The scorer whose ratings are shown, or the metric shown beside them. */
  shown: { scorer: string | undefined } | { metric: string | undefined };
  isChosen: boolean;
  children: ReactNode;
}) {
  const { projectId } = useApi();
  const { runId } = route.useParams();
  return (
    <Link
      from="/p/$projectId/runs/$runId"
      to="/p/$projectId/runs/$runId"
      params={{ projectId, runId }}
      search={(before) => ({ ...before, ...shown, tab: undefined })}
      aria-current={isChosen}
      className={classNames(
        box,
        "text-ink no-underline hover:bg-hover",
        isChosen ? "border-accent bg-chosen" : "border-line",
      )}
    >
      {children}
    </Link>
  );
}

/** `0.61`; for a yes-or-no metric the number of yes: `31/46`. */
function metricText({ average, passed, computed }: Run["metrics"][number]): string {
  if (average === null) return "-";
  if (passed !== null) return `${formatCount(passed)}/${formatCount(computed)} (${formatShare(passed / computed, 0)})`;
  return average.toFixed(2);
}
