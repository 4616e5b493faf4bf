import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { countOf, formatCost, formatCount, formatDuration, formatShare } from "../ui/format.ts";
import { ChevronLeftIcon, ChevronRightIcon, ErrorIcon, LiveIcon } from "../ui/icons.tsx";
import { Badge, Time } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { newerTrace, olderTrace } from "./neighbours.ts";
import type { TraceDetail } from "./trace-queries.ts";
import type { TraceTree } from "./trace-tree.ts";

/** What ran, beside the way back to the list. */
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

/** The figures of a trace, each with its unit; what is unknown is left out of this line. */
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
  const { projectId } = useApi();
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
      <span className="tabular-nums">
        {formatCost(trace.estimatedCostUSD)}
        {cached !== null && cached > 0 && <span className="text-faint"> ({formatShare(cached, 0)} cached)</span>}
      </span>
      {trace.model !== undefined && <span className="truncate">{trace.model}</span>}
      {trace.sessionId !== undefined && (
        <Link
          to="/p/$projectId/sessions/$sessionId"
          params={{ projectId, sessionId: trace.sessionId }}
          className="truncate text-accent"
        >
          Session
        </Link>
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

/** The trace before and after this one in time; `[` and `]` go there, too. */
export function Neighbours({ trace }: { trace: TraceDetail }) {
  const api = useApi();
  const navigate = useNavigate();
  const toasts = useToasts();
  const [isBusy, setBusy] = useState(false);

  async function go(way: "newer" | "older"): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    try {
      const found =
        way === "newer" ? await newerTrace(api, trace._id, trace.createdAt) : await olderTrace(api, trace._id);
      if (found === null) toasts.say(way === "newer" ? "This is the newest trace." : "This is the oldest trace.");
      else
        await navigate({ to: "/p/$projectId/traces/$traceId", params: { projectId: api.projectId, traceId: found } });
    } catch (problem) {
      toasts.warn(problem);
    } finally {
      setBusy(false);
    }
  }
  useShortcuts("Trace", [
    { keys: "[", label: "Newer trace", run: () => void go("newer") },
    { keys: "]", label: "Older trace", run: () => void go("older") },
  ]);
  return (
    <span className="flex">
      <IconButton label="Newer trace ([)" disabled={isBusy} onClick={() => void go("newer")}>
        <ChevronLeftIcon />
      </IconButton>
      <IconButton label="Older trace (])" disabled={isBusy} onClick={() => void go("older")}>
        <ChevronRightIcon />
      </IconButton>
    </span>
  );
}
