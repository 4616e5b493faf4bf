import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { VerdictWord } from "../blocks/paired-verdict.tsx";
import { explainPaired } from "../blocks/paired-words.ts";
import { useApi } from "../shell/session.tsx";
import { countOf, formatCount, formatRating } from "../ui/format.ts";
import { Interval } from "../ui/interval.tsx";
import { Time } from "../ui/page.tsx";
import { ProblemLine } from "../ui/states.tsx";
import type { Run } from "./case-rows.ts";
import { RunScores } from "./client-scores.tsx";
import { gatesQuery, pairedGateQuery } from "./queries.ts";
import { RatingHistogram } from "./rating-histogram.tsx";
import { ScorerFigures } from "./scorer-figures.tsx";
import { skipWords } from "./skip-words.ts";

const route = getRouteApi("/p/$projectId/runs/$runId");

/**
 * A summary of the run: its rating and interval, the verdicts of gates, the distribution of ratings, and the figures of each
 * scorer.
 */
export function RunSummary({ run, scorerId }: { run: Run; scorerId: string | null }) {
  const { above, max } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  const counts =
    run.scorerBreakdown?.find((scorer) => scorer.scorerId === scorerId)?.ratingHistogram ?? run.ratingHistogram;
  return (
    <div className="flex flex-col gap-5 px-4 pb-4 md:px-6">
      <div className="grid gap-x-10 gap-y-5 md:grid-cols-[minmax(0,5fr)_minmax(0,4fr)]">
        <div className="flex min-w-0 flex-col gap-3">
          <Rating run={run} />
          {run.status === "in_progress" && run.askedCount !== null && <Progress run={run} asked={run.askedCount} />}
          <Counts run={run} />
          {isRated(run) && <Gates run={run} />}
        </div>
        {counts.some((count) => count > 0) && (
          <RatingHistogram
            counts={counts}
            chosen={{ above, max }}
            onChoose={(range) => void navigate({ search: (before) => ({ ...before, ...range, tab: undefined }) })}
          />
        )}
      </div>
      <ScorerFigures run={run} chosen={scorerId} />
      <RunScores runId={run._id} />
    </div>
  );
}

/** An external run is compared with others once a judge has rated it. */
const isRated = ({ runSource, liveStatistics }: Run): boolean =>
  runSource !== "external" || liveStatistics.ratedCount > 0;

function Rating({ run }: { run: Run }) {
  const { averageRating, ratingInterval } = run;
  const kept = useQuery(gatesQuery(useApi(), [run._id])).data?.get(run._id);
  const floor = kept?.checks.find(({ check }) => check === "fail-under")?.threshold ?? null;
  const words =
    ratingInterval === null
      ? "no interval below two rated cases"
      : `${formatRating(ratingInterval.low)} to ${formatRating(ratingInterval.high)} (${Math.round(ratingInterval.level * 100)}%, ${countOf(ratingInterval.cases, "case")})`;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <div>
        <div className="text-xs text-faint">Rating</div>
        <div className="text-2xl font-semibold tabular-nums">{formatRating(averageRating)}</div>
      </div>
      <div className="min-w-48 flex-1">
        <Interval
          interval={ratingInterval}
          centre={averageRating}
          domain={[0, 10]}
          marks={floor === null ? [] : [floor]}
          label={`Rating ${formatRating(averageRating)} of 10, ${words}`}
          className="w-full max-w-72"
        />
        <div className="text-xs text-soft tabular-nums">{words}</div>
      </div>
    </div>
  );
}

/** The number of received results, out of those that the dataset requires. */
function Progress({ run: { resultCount }, asked }: { run: Run; asked: number }) {
  const share = asked === 0 ? 1 : Math.min(1, resultCount / asked);
  return (
    <div className="flex items-center gap-3">
      <div
        role="progressbar"
        aria-label="Results that have come"
        aria-valuemin={0}
        aria-valuemax={asked}
        aria-valuenow={Math.min(resultCount, asked)}
        className="h-1.5 w-72 max-w-[50%] rounded-full bg-line"
      >
        <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
      </div>
      <span className="text-soft tabular-nums">
        {formatCount(resultCount)} of {countOf(asked, "result")}
      </span>
    </div>
  );
}

/** The number of results by outcome; each count shows its cases. */
function Counts({ run }: { run: Run }) {
  const { ratedCount, failedCount, skippedCount } = run.liveStatistics;
  const paraphrases = run.resultCount - ratedCount - skippedCount;
  // A single reason needs no count: it would repeat the total.
  const isExternal = run.runSource === "external";
  const reasons = run.skips
    .map(({ code, count }) => (run.skips.length > 1 ? `${formatCount(count)} ${skipWords(code)}` : skipWords(code)))
    .join(", ");
  return (
    <p className="m-0 flex flex-wrap gap-x-4 gap-y-1 text-soft tabular-nums">
      <CountLink status="scored">{formatCount(ratedCount - failedCount)} scored</CountLink>
      <CountLink status="skipped" look={skippedCount > 0 && !isExternal ? "text-warn" : undefined}>
        {formatCount(skippedCount)} {isExternal ? "not judged" : "skipped"}
        {skippedCount > 0 && run.skips.length > 0 && `: ${reasons}`}
      </CountLink>
      <CountLink status="failed" look={failedCount > 0 ? "text-bad" : undefined}>
        {formatCount(failedCount)} failed
      </CountLink>
      {paraphrases > 0 && <span title="They count in no figure">{countOf(paraphrases, "paraphrase")}</span>}
    </p>
  );
}

function CountLink({
  status,
  look = "text-soft",
  children,
}: {
  status: "scored" | "skipped" | "failed";
  look?: string | undefined;
  children: ReactNode;
}) {
  const { projectId } = useApi();
  const { runId } = route.useParams();
  return (
    <Link
      from="/p/$projectId/runs/$runId"
      to="/p/$projectId/runs/$runId"
      params={{ projectId, runId }}
      search={(before) => ({ ...before, status, tab: undefined })}
      className={`${look} no-underline hover:text-accent hover:underline`}
    >
      {children}
    </Link>
  );
}

/** The stored verdict, and the current comparison with the previous run. */
function Gates({ run }: { run: Run }) {
  const api = useApi();
  const kept = useQuery(gatesQuery(api, [run._id])).data?.get(run._id);
  const live = useQuery(pairedGateQuery(api, run._id));
  const paired = live.data?.paired ?? null;
  // The current comparison is below.
  const checks = kept?.checks.filter(({ check }) => check !== "paired" || paired === null) ?? [];
  return (
    <div className="flex flex-col gap-2">
      {kept !== undefined && (
        <div>
          <span className={kept.passed ? "font-semibold text-good" : "font-semibold text-bad"}>
            {kept.passed ? "✓ Gate passed" : "✗ Gate failed"}
          </span>{" "}
          <span className="text-faint">
            <Time iso={kept.createdAt} />
          </span>
          {checks.map(({ check, passed, threshold, detail }) => (
            <div key={check} className="text-soft">
              <span className={passed ? "text-good" : "text-bad"}>{passed ? "✓" : "✗"}</span> {detail}
              {check === "fail-under" && passed && <Reach run={run} floor={threshold} />}
            </div>
          ))}
        </div>
      )}
      {live.error !== null && <ProblemLine problem={live.error} />}
      {live.data !== undefined && (
        <div className="text-soft">
          {paired === null || live.data.baselineRunId === null ? (
            "There is no earlier completed run of this dataset to compare with."
          ) : (
            <>
              <VerdictWord paired={paired} />{" "}
              <Link
                to="/p/$projectId/runs/compare"
                params={{ projectId: api.projectId }}
                search={{ baseline: live.data.baselineRunId, candidate: [run._id] }}
                className="text-accent underline"
              >
                against the run before
              </Link>{" "}
              (rated {formatRating(live.data.baselineAverage)}). {explainPaired(paired)}
            </>
          )}
        </div>
      )}
    </div>
  );
}

/** Warns if the rating passes the floor but its interval reaches below it. */
function Reach({ run, floor }: { run: Run; floor: number | null }) {
  const low = run.ratingInterval?.low;
  if (floor === null || low === undefined || low >= floor) return null;
  return <span className="text-warn"> But the interval reaches {formatRating(low)}.</span>;
}
