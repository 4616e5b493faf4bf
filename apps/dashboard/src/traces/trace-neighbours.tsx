import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { ChevronLeftIcon, ChevronRightIcon } from "../ui/icons.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { newerTrace, olderTrace } from "./neighbours.ts";
import type { TraceDetail } from "./trace-queries.ts";
import { useWalk } from "./walk.ts";

type Way = "newer" | "older";

/** Links to the previous and the next trace: in the list it was opened from, else in time. `[` and `]` are their keys. */
export function TraceNeighbours({ trace }: { trace: TraceDetail }) {
  const api = useApi();
  const navigate = useNavigate();
  const toasts = useToasts();
  const walk = useWalk(api.projectId, trace._id);
  const [isBusy, setBusy] = useState(false);
  const place = walk.indexOf(trace._id);

  async function find(way: Way): Promise<string | null> {
    if (place !== -1) return walk[place + (way === "newer" ? -1 : 1)] ?? null;
    return way === "newer" ? newerTrace(api, trace._id, trace.createdAt) : olderTrace(api, trace._id);
  }
  async function go(way: Way): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    try {
      const traceId = await find(way);
      if (traceId === null) toasts.say(endSentence(way, place !== -1));
      else await navigate({ to: "/p/$projectId/traces/$traceId", params: { projectId: api.projectId, traceId } });
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
    <span className="flex items-center">
      <IconButton label="Newer trace ([)" disabled={isBusy} onClick={() => void go("newer")}>
        <ChevronLeftIcon />
      </IconButton>
      {place !== -1 && (
        <span
          title="Place in the list it was opened from"
          className="text-xs whitespace-nowrap text-faint tabular-nums"
        >
          {formatCount(place + 1)} of {formatCount(walk.length)}
        </span>
      )}
      <IconButton label="Older trace (])" disabled={isBusy} onClick={() => void go("older")}>
        <ChevronRightIcon />
      </IconButton>
    </span>
  );
}

function endSentence(way: Way, isList: boolean): string {
  if (isList)
    return way === "newer" ? "This is the first of the list." : "This is the last of the list that was loaded.";
  return way === "newer" ? "This is the newest trace." : "This is the oldest trace.";
}
