import { Link } from "@tanstack/react-router";
import { TraceLink } from "../blocks/evidence-links.tsx";
import { useApi } from "../shell/session.tsx";
import { formatCount, formatDuration } from "../ui/format.ts";
import { Markdown } from "../ui/markdown.tsx";
import { Badge } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { caseKeyOf } from "./case-rows.ts";
import { SkippedBadge } from "./skipped-badge.tsx";
import type { WholeSide } from "./whole-side.ts";

/** A side's rating with its reason, its duration and tokens, and links to its trace and its run. */
export function CompareSide({
  title,
  runId,
  side,
  onWhy,
}: {
  title: string;
  runId: string;
  side: WholeSide;
  onWhy(): void;
}) {
  const { projectId } = useApi();
  const { rating, error, justification, traceId, latencyMs, inputTokens, outputTokens, resultId, result } = side;
  return (
    <div className="min-w-0 border-t border-line pt-3">
      <div className="mb-1 flex flex-wrap items-center gap-x-3">
        <span className="font-medium">{title}</span>
        {result?.status === "skipped" && rating === null ? (
          <SkippedBadge code={result.skipCode} onWhy={onWhy} />
        ) : (
          <Score rating={rating} scorer={title.trim()} onWhy={resultId === null ? undefined : onWhy} />
        )}
        {error !== null && <Badge look="bad">failed</Badge>}
        {result !== undefined && result.ofCase.results > 1 && (
          <span className="text-xs text-faint">mean of {formatCount(result.ofCase.results)}, the first is shown</span>
        )}
      </div>
      {justification !== null && (
        <div className="text-soft">
          <Markdown text={justification} />
        </div>
      )}
      {resultId === null ? (
        <p className="m-0 text-soft">This run has no result of the case.</p>
      ) : (
        <p className="m-0 mt-2 flex flex-wrap gap-x-4 gap-y-1 text-soft tabular-nums">
          {latencyMs !== null && <span>{formatDuration(latencyMs)}</span>}
          {(inputTokens !== null || outputTokens !== null) && (
            <span>
              {formatCount(inputTokens)} in, {formatCount(outputTokens)} out
            </span>
          )}
          {traceId !== null && <TraceLink traceId={traceId}>Trace</TraceLink>}
          <Link
            to="/p/$projectId/runs/$runId"
            params={{ projectId, runId }}
            search={{ case: result === undefined ? resultId : caseKeyOf(result) }}
            className="text-accent"
          >
            Open in its run
          </Link>
        </p>
      )}
    </div>
  );
}
