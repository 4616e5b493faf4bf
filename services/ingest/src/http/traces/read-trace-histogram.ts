import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { TraceStore } from "../../trace-store/trace-store.ts";
import { bucketStarts, histogramRange } from "../../traces/histogram-range.ts";
import { readMoment, readRootFilter } from "../../traces/read-root-filter.ts";

/** What a project without any trace shows. */
const emptyMs = 3_600_000;

/** `GET /ingest/traces/histogram`: how many root traces match the filters of the list, and how many failed, over time. */
export function readTraceHistogram({ traces, clock }: { traces: TraceStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const filter = readRootFilter(call.query);
    let [fromMs, toMs] = [readMoment(call.query, "from"), readMoment(call.query, "to")];
    if (fromMs === null || toMs === null) {
      const extent = await traces.readRootExtent(projectId);
      toMs ??= Math.max(clock.now(), (extent?.newestMs ?? 0) + 1);
      fromMs ??= Math.min(extent?.oldestMs ?? toMs - emptyMs, toMs);
    }
    const range = histogramRange(fromMs, toMs);
    const { bucketMs } = range;
    const counts =
      filter === null || toMs <= fromMs
        ? []
        : await traces.countRoots({ ...filter, projectId, fromMs, toMs, bucketMs });
    const known = new Map(counts.map((count) => [count.startMs, count]));
    return {
      status: 200,
      body: {
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        bucketMs,
        buckets: bucketStarts(range).map((startMs) => ({
          start: new Date(startMs).toISOString(),
          count: known.get(startMs)?.count ?? 0,
          errors: known.get(startMs)?.errors ?? 0,
        })),
      },
    };
  };
}
