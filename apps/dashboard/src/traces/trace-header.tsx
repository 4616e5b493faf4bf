import { Link } from "@tanstack/react-router";
import { SessionLink } from "../blocks/evidence-links.tsx";
import { verdictsOfTrace } from "../blocks/verdict-sources.ts";
import { useApi } from "../shell/session.tsx";
import { countOf, formatCost, formatCount, formatDuration, formatShare } from "../ui/format.ts";
import { ErrorIcon, LiveIcon } from "../ui/icons.tsx";
import { Badge, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { otelTraceId, type TraceDetail } from "./trace-queries.ts";
import type { TraceTree } from "./trace-tree.ts";

/** The agent or the name of the trace, beside the link back to the list. */
export function TraceHeading({ trace }: { trace: TraceDetail }) {
  const { projectId } = useApi();
  return (
    <span className="flex min-w-0 items-center gap-2">
      {trace.error !== undefined && (
        <span title="Failed" className="text-bad">
          <ErrorIcon className="size-5" />
          <span className="sr-only">Failed:</span>
        </span>
      )}
      {trace.agentId === null ? (
        <span className="truncate">{trace.name}</span>
      ) : (
        <Link
          to="/p/$projectId/agents/$agentId"
          params={{ projectId, agentId: trace.agentId }}
          title="The agent"
          className="truncate text-ink hover:text-accent"
        >
          {trace.name}
        </Link>
      )}
    </span>
  );
}

/** The figures of a trace, each with its unit; unknown ones are left out. */
export function TraceFigures({
  trace,
  tree,
  isTruncated,
  isArriving,
}: {
  trace: TraceDetail;
  tree: TraceTree;
  isTruncated: boolean;
  isArriving: boolean;
}) {
  const tokens = (trace.inputTokens ?? 0) + (trace.outputTokens ?? 0);
  const cached = trace.cacheReadTokens && trace.inputTokens ? trace.cacheReadTokens / trace.inputTokens : null;
  return (
    <>
      <Time iso={trace.startedAt ?? trace.createdAt} />
      <span className="tabular-nums">{formatDuration(trace.latencyMs)}</span>
      <span className="tabular-nums">
        {countOf(tree.nodes.length, "span")}
        {isTruncated && " of more"}
      </span>
      {tokens > 0 && (
        <span
          className="tabular-nums"
          title={`${formatCount(trace.inputTokens)} in, ${formatCount(trace.outputTokens)} out${cached === null ? "" : `, ${formatCount(trace.cacheReadTokens)} of them from the cache`}`}
        >
          {formatCount(tokens)} tok
        </span>
      )}
      {trace.estimatedCostUSD !== null && (
        <span className="tabular-nums">
          {formatCost(trace.estimatedCostUSD)}
          {cached !== null && cached > 0 && <span className="text-faint"> ({formatShare(cached, 0)} cached)</span>}
        </span>
      )}
      {trace.model !== undefined && <span className="truncate">{trace.model}</span>}
      {trace.sessionId !== undefined && trace.sessionId !== otelTraceId(trace.metadata) && (
        <SessionLink sessionId={trace.sessionId} className="truncate">
          Session
        </SessionLink>
      )}
      {trace.trafficSource === "eval-run" && <Badge title="Sent by an evaluation run">run</Badge>}
      {isArriving && (
        <Badge
          look="warn"
          title="Spans of this trace may still be on their way; the page reads them again every few seconds"
        >
          <LiveIcon className="size-3" /> still arriving
        </Badge>
      )}
    </>
  );
}

/** The ratings of live judges for the whole trace; each opens its explanation. */
export function TraceRatings({ trace, onWhy }: { trace: TraceDetail; onWhy(scorerName: string): void }) {
  const verdicts = verdictsOfTrace(trace);
  if (verdicts.length === 0) return null;
  return (
    <ul
      aria-label="Ratings"
      className="m-0 flex min-w-0 list-none flex-wrap content-center gap-x-4 gap-y-1 p-0 md:max-w-72 md:flex-col"
    >
      {verdicts.slice(0, ratingsShown).map(({ key, rating, threshold, scorer }) => (
        <li key={key} className="flex min-w-0 items-center gap-1.5">
          <Score
            rating={rating}
            threshold={threshold}
            scorer={scorer.name ?? undefined}
            onWhy={() => onWhy(scorer.name ?? "")}
          />
          <span className="truncate text-soft">{scorer.name}</span>
        </li>
      ))}
      {verdicts.length > ratingsShown && <li className="text-xs text-faint">{verdicts.length - ratingsShown} more</li>}
    </ul>
  );
}

const ratingsShown = 2;
