import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { followEvents, type StreamPlace, type StreamState } from "../api/event-stream.ts";
import { useApi } from "../shell/session.tsx";
import { addWaiting, canTakeFresh, nothingWaits, takeFresh, type Waiting } from "./fresh-rows.ts";
import { type TraceRow, tracesQuery } from "./list-queries.ts";
import { listQueryOf, type TracesFilter } from "./list-search.ts";

/** Rows of a burst are processed together, so that the table is not redrawn for each. */
const gatherMs = 250;

export interface FreshRows {
  state: StreamState | "off";
  /** The number of waiting rows. */
  waiting: number;
  /** Shows them. */
  take(): void;
}

/**
 * Follows the traces that match the filters. While `isAtTop` they are shown as they arrive; else they wait, so that
 * nothing moves while the user reads.
 */
export function useFreshRows(filter: TracesFilter, { isOn, isAtTop }: { isOn: boolean; isAtTop: boolean }): FreshRows {
  const api = useApi();
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState | "off">("off");
  const [waiting, setWaiting] = useState(nothingWaits);
  const { queryKey } = tracesQuery(api, filter);
  const key = JSON.stringify(queryKey);

  // A stream with other filters resumes at the position of the previous one: rows stored in between may be missing from
  // a list that is loaded meanwhile.
  const place = useMemo((): StreamPlace => ({ lastEventId: null }), [api]);
  const showing = useRef({ isAtTop, waiting });
  showing.current = { isAtTop, waiting };
  const show = useCallback(
    async (rows: Waiting) => {
      // The answer to a read under way was computed before these rows were stored, and would replace them.
      const list = { queryKey, exact: true, type: "active" } as const;
      if (queries.isFetching(list) > 0) await queries.refetchQueries(list, { cancelRefetch: false });
      const pages = queries.getQueryData(queryKey);
      if (pages !== undefined && canTakeFresh(pages, rows)) queries.setQueryData(queryKey, takeFresh(pages, rows));
      else void queries.resetQueries({ queryKey, exact: true });
    },
    [queries, key],
  );

  useEffect(() => {
    setWaiting(nothingWaits);
    // A list from the cache lacks what was streamed since the user left it. A stream without a position catches up.
    if (queries.getQueryData(queryKey) !== undefined) place.lastEventId = null;
  }, [queries, key, place]);

  useEffect(() => {
    if (!isOn) {
      setState("off");
      return;
    }
    let gathered: TraceRow[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = (): void => {
      const rows = gathered.reduce(addWaiting, showing.current.waiting);
      gathered = [];
      timer = undefined;
      if (showing.current.isAtTop) void show(rows);
      setWaiting(showing.current.isAtTop ? nothingWaits : rows);
    };
    const readAgain = (): void => void queries.resetQueries({ queryKey, exact: true });
    /** Loads rows that were stored after the list was loaded and before the stream began. A failed list is loaded later. */
    const catchUp = async (): Promise<void> => {
      const list = { queryKey, exact: true, type: "active" } as const;
      if (queries.isFetching(list) > 0) await queries.refetchQueries(list, { cancelRefetch: false });
      if (queries.getQueryState(queryKey)?.status === "success") await queries.refetchQueries(list);
    };
    const stop = followEvents(api, {
      path: `/api/v1/ingest/traces/stream?${new URLSearchParams({ ...listQueryOf(filter), view: "preview" })}`,
      place,
      onFresh: () => void catchUp(),
      onEvent({ event, data }) {
        if (event === "reset") return readAgain();
        if (event !== "trace") return;
        gathered.push(JSON.parse(data) as TraceRow);
        timer ??= setTimeout(flush, gatherMs);
      },
      onPoll: () => {
        if (showing.current.isAtTop) readAgain();
      },
      onState: setState,
    });
    return () => {
      stop();
      clearTimeout(timer);
      // The stream resumes after these rows.
      if (gathered.length > 0) flush();
    };
  }, [api, queries, key, isOn, show, place]);

  const take = useCallback(() => {
    void show(showing.current.waiting);
    setWaiting(nothingWaits);
  }, [show]);

  // Rows that arrived while the user scrolled back up are shown when they reach the top.
  const count = waiting.rows.length + waiting.dropped;
  useEffect(() => {
    if (isAtTop && count > 0) take();
  }, [isAtTop, count, take]);
  return { state, waiting: count, take };
}
