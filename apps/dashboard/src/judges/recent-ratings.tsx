import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { formatCount, unknown } from "../ui/format.ts";
import { Score } from "../ui/score.tsx";
import { liveQueries, type Window } from "./queries.ts";
import { meanOf } from "./rating-points.ts";

/** The number of ratings of a live scorer in the window, and their mean, with a link to the worst of them on the judge's page. */
export function RecentRatings({
  evaluatorId,
  judgeId,
  window,
}: {
  evaluatorId: string;
  /** Absent for a group: it has no page. */
  judgeId?: string;
  window: Window;
}) {
  const { projectId } = useApi();
  const points = useQuery(liveQueries(useApi(), evaluatorId, window).points).data?.points;
  if (points === undefined) return <span className="text-faint">{unknown}</span>;
  const { count, mean } = meanOf(points);
  const figures = (
    <span className="inline-flex items-center gap-3 whitespace-nowrap">
      {mean !== null && <Score rating={mean} scorer="Mean" />}
      <span className={count === 0 ? "text-faint" : "text-soft"}>{count === 0 ? "none" : formatCount(count)}</span>
    </span>
  );
  if (judgeId === undefined || count === 0) return figures;
  return (
    <Link
      to="/p/$projectId/judges/$judgeId"
      params={{ projectId, judgeId }}
      search={{ window }}
      className="text-ink no-underline hover:underline"
    >
      {figures}
    </Link>
  );
}
