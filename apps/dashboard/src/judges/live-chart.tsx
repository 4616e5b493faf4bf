import { useQuery } from "@tanstack/react-query";
import { useApi } from "../shell/session.tsx";
import { ChartCursor } from "../ui/charts/chart-cursor.tsx";
import { TimeChart } from "../ui/charts/time-chart.tsx";
import { formatClock, formatCount, formatDay, formatRating } from "../ui/format.ts";
import { Loaded, Skeleton } from "../ui/states.tsx";
import { liveQueries, type Window } from "./queries.ts";
import { meanOf } from "./rating-points.ts";

/** The mean rating over the window with its threshold, and the number of ratings. */
export function LiveChart({
  evaluatorId,
  threshold,
  window,
}: {
  evaluatorId: string;
  threshold: number | null;
  window: Window;
}) {
  const points = useQuery(liveQueries(useApi(), evaluatorId, window).points);
  return (
    <Loaded query={points} skeleton={<Skeleton rows={4} className="h-44" />}>
      {(body) => {
        const labels = body.points.map(({ ts }) => (window === "24h" ? formatClock(ts) : formatDay(ts)));
        const { count, mean } = meanOf(body.points);
        return (
          <ChartCursor>
            <div className="grid min-w-0 gap-x-8 gap-y-6 md:grid-cols-2">
              <TimeChart
                title="Mean rating"
                total={mean === null ? undefined : formatRating(mean)}
                kind="lines"
                most={10}
                format={formatRating}
                labels={labels}
                series={[
                  {
                    key: "rating",
                    label: "mean",
                    color: "text-kind-llm",
                    values: body.points.map(({ averageRating }) => averageRating),
                  },
                  ...(threshold === null
                    ? []
                    : [
                        {
                          key: "threshold",
                          label: "threshold",
                          color: "text-control",
                          isDashed: true,
                          values: labels.map(() => threshold),
                        },
                      ]),
                ]}
              />
              <TimeChart
                title="Ratings"
                total={formatCount(count)}
                kind="stacked"
                format={formatCount}
                labels={labels}
                series={[
                  {
                    key: "count",
                    label: "ratings",
                    color: "text-kind-llm",
                    values: body.points.map((each) => each.count),
                  },
                ]}
              />
            </div>
          </ChartCursor>
        );
      }}
    </Loaded>
  );
}
