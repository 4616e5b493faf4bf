import { useQuery } from "@tanstack/react-query";
import { useApi } from "../shell/session.tsx";
import { ChartCursor } from "../ui/charts/chart-cursor.tsx";
import { TimeChart } from "../ui/charts/time-chart.tsx";
import { formatClock, formatCount, formatDay, formatRating } from "../ui/format.ts";
import { Loaded, Skeleton } from "../ui/states.tsx";
import { ratingPointsQuery, type Window } from "./queries.ts";
import { meanOf } from "./rating-points.ts";

export interface LiveChartProps {
  evaluatorId: string;
  threshold: number | null;
  window: Window;
  /** Opens the ratings of one point in time. */
  onOpen(time: { from: string | undefined; to: string | undefined }): void;
}

/** The mean rating over the window with its threshold, and the number of ratings. */
export function LiveChart({ evaluatorId, threshold, window, onOpen }: LiveChartProps) {
  const points = useQuery(ratingPointsQuery(useApi(), evaluatorId, window));
  return (
    <Loaded query={points} skeleton={<Skeleton rows={4} className="h-44" />}>
      {(body) => {
        const labels = body.points.map(({ ts }) => (window === "24h" ? formatClock(ts) : formatDay(ts)));
        const { count, mean } = meanOf(body.points);
        const open = (index: number): void => onOpen({ from: body.points[index]?.ts, to: body.points[index + 1]?.ts });
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
                onOpen={open}
                opened="ratings"
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
                onOpen={open}
                opened="ratings"
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
