import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { followEvents } from "../api/event-stream.ts";
import type { components } from "../api/schema.gen.d.ts";
import { useApi } from "../shell/session.tsx";

export type RunProgress = Pick<
  components["schemas"]["Run"],
  "status" | "resultCount" | "averageRating" | "liveStatistics"
>;

/** The minimum interval between refreshes while results arrive. */
const readAgainMs = 2_000;
/** A list with more pages is not refreshed while the run is in progress. */
const pagesReadAgain = 5;

/**
 * The progress of a run, streamed by the server; null before the first event, and for a run that has ended. Loaded data
 * of the run is refreshed as it changes.
 */
export function useRunProgress(runId: string, isRunning: boolean): RunProgress | null {
  const api = useApi();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<RunProgress | null>(null);
  useEffect(() => {
    if (!isRunning) return setProgress(null);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = (hasEnded = false): void => {
      timer = undefined;
      void queries.invalidateQueries({
        queryKey: [api.projectId, "run", runId],
        predicate: ({ state }) => hasEnded || pagesOf(state.data) <= pagesReadAgain,
      });
    };
    const stop = followEvents(api, {
      path: `/api/v1/custom-agent-evaluations/runs/${runId}/stream`,
      onEvent({ data }) {
        const state = JSON.parse(data) as RunProgress;
        setProgress(state);
        if (state.status !== "in_progress") readAgain(true);
        else timer ??= setTimeout(() => readAgain(), readAgainMs);
      },
      onPoll: () => readAgain(),
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [api, queries, runId, isRunning]);
  return progress;
}

const pagesOf = (data: unknown): number => (data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0;
