import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CountedTraces } from "../blocks/traces-link.tsx";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { countOf, formatCost, formatCount, formatDuration, formatShare } from "../ui/format.ts";
import { Stat } from "../ui/page.tsx";
import { Loaded, Skeleton } from "../ui/states.tsx";
import { openSignalsQuery, overviewQueries, type Window } from "./queries.ts";

/** The figures of the window, each with a link to the rows behind it. */
export function KeyFigures({ window }: { window: Window }) {
  const api = useApi();
  const queries = overviewQueries(api, window);
  const kpis = useQuery(queries.kpis);
  const costs = useQuery(queries.costs);
  const openSignals = useQuery(openSignalsQuery(api)).data?.totalCount;
  return (
    <Loaded query={kpis} skeleton={<Skeleton rows={2} />}>
      {({ since: from, totalRuns, healthRate, downvoteRate, toolFailureRate, p95LatencyMs, deltas, breakdown }) => (
        <div className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3 lg:grid-cols-8">
          <Figure label="Runs" traces={{ from, source: "production" }}>
            {formatCount(totalRuns)}
          </Figure>
          <Figure
            label="Healthy"
            traces={{ from, source: "production" }}
            note={<Change value={deltas.healthRate} goodWhen="up" />}
          >
            {formatShare(healthRate)}
          </Figure>
          <Figure
            label="Failing"
            traces={{ from, source: "production", rating: "failing" }}
            note={<Change value={deltas.failureRate} goodWhen="down" />}
          >
            {formatCount(breakdown.failingRuns)}
          </Figure>
          <Figure
            label="Tool failures"
            traces={{ from, source: "production", rating: "tool" }}
            note={
              <>
                {formatCount(breakdown.toolFailingRuns)} of {countOf(breakdown.toolRuns, "run")},{" "}
                <Change value={deltas.toolFailureRate} goodWhen="down" />
              </>
            }
          >
            {formatShare(toolFailureRate)}
          </Figure>
          <Figure
            label="Votes down"
            votes={{ from, rating: "down" }}
            note={
              <>
                {formatCount(breakdown.votesDown)} of {countOf(breakdown.votes, "vote")},{" "}
                <Change value={deltas.downvoteRate} goodWhen="down" />
              </>
            }
          >
            {formatShare(downvoteRate)}
          </Figure>
          <Figure
            label="p95 latency"
            traces={{ from, source: "production", ...(p95LatencyMs !== null && { slow: Math.floor(p95LatencyMs) }) }}
          >
            {formatDuration(p95LatencyMs)}
          </Figure>
          <Figure
            label="Cost"
            traces={{ from }}
            note={costs.data && <Unpriced share={costs.data.totals.unpricedTokenShare} />}
          >
            {formatCost(costs.data?.totals.cost)}
          </Figure>
          <Figure label="Open signals">{formatCount(openSignals)}</Figure>
        </div>
      )}
    </Loaded>
  );
}

/** A figure that links to its rows: to traces, to votes, or to the inbox. */
function Figure({
  label,
  traces,
  votes,
  note,
  children,
}: {
  label: string;
  traces?: CountedTraces;
  votes?: { from: string; rating: "down" };
  note?: ReactNode;
  children: ReactNode;
}) {
  const { projectId } = useApi();
  const figure = (
    <Stat label={label} note={note}>
      {children}
    </Stat>
  );
  const look = "-m-2 rounded-sm p-2 text-ink no-underline hover:bg-hover";
  if (votes !== undefined) {
    return (
      <Link to="/p/$projectId/votes" params={{ projectId }} search={votes} className={look}>
        {figure}
      </Link>
    );
  }
  if (traces === undefined) {
    return (
      <Link to="/p/$projectId/inbox" params={{ projectId }} className={look}>
        {figure}
      </Link>
    );
  }
  return (
    <Link to="/p/$projectId/traces" params={{ projectId }} search={traces} className={look}>
      {figure}
    </Link>
  );
}

/** The change of a share from the previous window, in percentage points. */
function Change({ value, goodWhen }: { value: number | null; goodWhen: "up" | "down" }) {
  if (value === null) return <span className="whitespace-nowrap text-faint">no earlier figure</span>;
  const points = Math.abs(value * 100);
  if (points < 0.05) return <span className="text-faint">unchanged</span>;
  const isUp = value > 0;
  const isGood = isUp === (goodWhen === "up");
  return (
    <span className={classNames("whitespace-nowrap", isGood ? "text-good" : "text-bad")}>
      {isUp ? "▲" : "▼"} {points.toFixed(1)} points<span className="sr-only">{isGood ? ", better" : ", worse"}</span>
    </span>
  );
}

function Unpriced({ share }: { share: number | null }) {
  if (share === null || share === 0) return null;
  return <span className="text-warn">{formatShare(share, share < 0.01 ? 1 : 0)} of tokens without a price</span>;
}
