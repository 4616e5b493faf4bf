import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type PointerEvent, useEffect, useRef, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { countOf, formatTime } from "../ui/format.ts";
import { problemSentence } from "../ui/states.tsx";
import { type FilterChange, listQueryOf, type TracesFilter } from "./list-search.ts";
import { barsPath, bucketsBetween, type Histogram, timeOfBuckets } from "./time-bars.ts";

/** The interval of recounts while new traces arrive. */
const recountMs = 10_000;
const height = 32;

interface TimeHistogramProps {
  filter: TracesFilter;
  /** The number of traces in the list; undefined until the list is loaded, which has priority. */
  totalCount: number | undefined;
  onChange(change: FilterChange): void;
}

/** The number of traces of the list over time, and of failures. Dragging selects a period, as the time filter does. */
export function TimeHistogram({ filter, totalCount, onChange }: TimeHistogramProps) {
  const { data, error, refetch } = useHistogram(filter, totalCount);
  return (
    <div className="mx-4 mb-2 h-12 md:mx-6">
      {data !== undefined && data.buckets.length > 0 && (
        <Bars histogram={data} onChoose={(chosen) => onChange(timeOfBuckets(data, chosen, filter.to))} />
      )}
      {data === undefined && error && (
        <p className="m-0 flex items-center gap-2 text-soft">
          <span className="truncate">No counts by time: {problemSentence(error)}</span>
          <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      )}
    </div>
  );
}

function useHistogram(filter: TracesFilter, totalCount: number | undefined) {
  const api = useApi();
  const query = useQuery({
    queryKey: [api.projectId, "trace-histogram", filter],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/ingest/traces/histogram", { params: { query: listQueryOf(filter) }, signal })),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: totalCount !== undefined,
  });
  const { refetch, dataUpdatedAt } = query;
  const counted = useRef(totalCount);
  useEffect(() => {
    if (counted.current === totalCount) return;
    const timer = setTimeout(
      () => {
        counted.current = totalCount;
        void refetch();
      },
      Math.max(0, dataUpdatedAt + recountMs - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [totalCount, refetch, dataUpdatedAt]);
  return query;
}

function Bars({ histogram, onChoose }: { histogram: Histogram; onChoose(chosen: Histogram["buckets"]): void }) {
  const { from, to, buckets } = histogram;
  const [pointed, setPointed] = useState<number | null>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const counts = buckets.map(({ count }) => count);
  const errors = buckets.map((bucket) => bucket.errors);
  const most = Math.max(1, ...counts);
  const chosen = pointed === null ? [] : bucketsBetween(histogram, dragged ?? pointed, pointed);
  const told = timeOfBuckets(histogram, chosen, to);
  const left = chosen[0] === undefined ? 0 : buckets.indexOf(chosen[0]) / buckets.length;

  function indexAt(event: PointerEvent<HTMLElement>): number {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * buckets.length);
    return Math.min(buckets.length - 1, Math.max(0, index));
  }

  return (
    <div
      role="img"
      aria-label={`${countsText(buckets)} from ${formatTime(from)} to ${formatTime(to)}. The time filter chooses a time.`}
      className="relative cursor-crosshair touch-pan-y select-none"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(indexAt(event));
        setPointed(indexAt(event));
      }}
      onPointerMove={(event) => setPointed(indexAt(event))}
      onPointerUp={() => {
        setDragged(null);
        if (dragged !== null) onChoose(chosen);
      }}
      onPointerCancel={() => setDragged(null)}
      onPointerLeave={() => setPointed(null)}
    >
      {pointed !== null && (
        <div
          className={dragged === null ? "absolute top-0 h-8 bg-hover" : "absolute top-0 h-8 bg-chosen"}
          style={{ left: `${left * 100}%`, width: `${(chosen.length / buckets.length) * 100}%` }}
        />
      )}
      <svg
        aria-hidden
        viewBox={`0 0 ${buckets.length} ${height}`}
        preserveAspectRatio="none"
        className="relative block h-8 w-full border-b border-line"
      >
        <path d={barsPath(counts, most, height)} className="fill-control" />
        <path d={barsPath(errors, most, height)} className="fill-kind-error" />
      </svg>
      <div className="flex justify-between text-xs text-faint tabular-nums">
        {pointed === null ? (
          <>
            <span>{formatTime(from)}</span>
            <span>{formatTime(to)}</span>
          </>
        ) : (
          <span className="mx-auto text-ink">
            {formatTime(told.from)} to {formatTime(told.to)}: {countsText(chosen)}
          </span>
        )}
      </div>
    </div>
  );
}

function countsText(buckets: Histogram["buckets"]): string {
  const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  const errors = buckets.reduce((sum, bucket) => sum + bucket.errors, 0);
  return `${countOf(count, "trace")}${errors > 0 ? `, ${countOf(errors, "error")}` : ""}`;
}
