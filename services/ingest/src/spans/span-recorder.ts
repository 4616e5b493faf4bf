import { type Clock, isAppError } from "@touchstone/service-kit";
import type { IngestMetrics } from "../ingest-metrics.ts";
import type { GroupCommit } from "./group-commit.ts";
import { prepareSpans, type SpanContext } from "./prepare-span.ts";
import type { IncomingSpan } from "./span.ts";
import type { SpanJob } from "./span-row.ts";
import type { StoredSpan } from "./trace-store.ts";

/** What a request says of the spans it brings; see {@link SpanContext}. */
export type SpanRequest = Pick<SpanContext, "projectId"> &
  Partial<Pick<SpanContext, "agentId" | "monitor" | "patternIds">>;

/** The way from a request to the disk. */
export interface SpanRecorder {
  /** Resolves, in order, when all the spans are committed; rejects when none of them is known to be. */
  record(spans: readonly IncomingSpan[], request: SpanRequest): Promise<StoredSpan[]>;
}

export interface SpanRecorderOptions {
  commits: GroupCommit<SpanJob, StoredSpan[]>;
  clock: Clock;
  fieldCharsMax: number | null;
  metrics: IngestMetrics;
}

export function createSpanRecorder({ commits, clock, fieldCharsMax, metrics }: SpanRecorderOptions): SpanRecorder {
  return {
    async record(spans, { projectId, agentId = null, monitor = null, patternIds = null }) {
      if (spans.length === 0) return [];
      const context = { projectId, nowMs: clock.now(), fieldCharsMax, agentId, monitor, patternIds };
      try {
        commits.requireRoom(spans.length);
        const stored = await commits.submit(await prepareSpans(spans, context));
        metrics.stored(stored);
        return stored;
      } catch (thrown) {
        if (isAppError(thrown) && thrown.code === "queue_full") metrics.rejected(spans.length);
        throw thrown;
      }
    },
  };
}
