import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { formatCount, unknown } from "../ui/format.ts";
import { Score } from "../ui/score.tsx";
import { ratingPointsQuery, type Window } from "./queries.ts";
import { meanOf, ratingsHash } from "./rating-points.ts";

/** The number of ratings of a live scorer in the window, and their mean, with a link to the ratings on its page. */
export function RecentRatings({
  evaluatorId,
  judgeId,
  window,
}: {
  evaluatorId: string;
  /** The id of the judge or group. */
  judgeId: string;
  window: Window;
}) {
  const api = useApi();
  const points = useQuery(ratingPointsQuery(api, evaluatorId, window)).data?.points;
  if (points === undefined) return <span className="text-faint">{unknown}</span>;
  const { count, mean } = meanOf(points);
  const figures = (
    <span className="inline-flex items-center gap-3 whitespace-nowrap">
      {mean !== null && <Score rating={mean} scorer="Mean" />}
      <span className={count === 0 ? "text-faint" : "text-soft"}>{count === 0 ? "none" : formatCount(count)}</span>
    </span>
  );
  if (count === 0) return figures;
  return (
    <Link
      to="/p/$projectId/judges/$judgeId"
      params={{ projectId: api.projectId, judgeId }}
      search={{ window }}
      hash={ratingsHash}
      className="text-ink no-underline hover:underline"
    >
      {figures}
    </Link>
  );
}
