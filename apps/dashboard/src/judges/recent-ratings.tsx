import { useQuery } from "@tanstack/react-query";
import { useApi } from "../shell/session.tsx";
import { formatCount, unknown } from "../ui/format.ts";
import { Score } from "../ui/score.tsx";
import { liveQueries, type Window } from "./queries.ts";
import { meanOf } from "./rating-points.ts";

/** The number of ratings of a live scorer in the window, and their mean. */
export function RecentRatings({ evaluatorId, window }: { evaluatorId: string; window: Window }) {
  const points = useQuery(liveQueries(useApi(), evaluatorId, window).points).data?.points;
  if (points === undefined) return <span className="text-faint">{unknown}</span>;
  const { count, mean } = meanOf(points);
  return (
    <span className="inline-flex items-center gap-3 whitespace-nowrap">
      {mean !== null && <Score rating={mean} scorer="Mean" />}
      <span className={count === 0 ? "text-faint" : "text-soft"}>{count === 0 ? "none" : formatCount(count)}</span>
    </span>
  );
}
