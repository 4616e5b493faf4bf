import { type Clock, isAppError, type Tenants } from "@touchstone/service-kit";
import type { IncomingFragment } from "../model/incoming-fragment.ts";
import type { StoredSpan } from "../model/read-span.ts";
import type { IncomingSpan } from "../model/span.ts";
import type { SpanJob } from "../model/span-row.ts";
import type { SpanUpdate } from "../model/span-update.ts";
import type { TraceQuota } from "../quota/keep-within-quota.ts";
import { quotaRefusal } from "../quota/spent-projects.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { IngestMetrics } from "./ingest-metrics.ts";
import { prepareSpans, type SpanContext } from "./prepare-span.ts";

/** The request's context of its spans; see {@link SpanContext}. */
export type SpanRequest = Pick<SpanContext, "projectId"> &
  Partial<Pick<SpanContext, "agentId" | "monitor" | "patternIds">>;

/** Records spans and log fragments durably. */
export interface SpanRecorder {
  /** Resolves, in order, when all spans are committed; rejects if none is known to be committed. */
  record(spans: readonly IncomingSpan[], request: SpanRequest): Promise<StoredSpan[]>;
  /** The same for log fragments. A stored fragment changes nothing. */
  recordFragments(fragments: readonly IncomingFragment[], projectId: string): Promise<void>;
  /** The same for updates of spans; each has its answer, in order. */
  recordUpdates(updates: readonly SpanUpdate[], projectId: string): Promise<StoredSpan[]>;
}

export interface SpanRecorderOptions {
  commits: GroupCommit<SpanJob, StoredSpan[]>;
  tenants: Tenants;
  clock: Clock;
  fieldCharsMax: number | null;
  metrics: IngestMetrics;
  /** Null = unlimited. */
  quota: TraceQuota | null;
  /** See {@link SpanContext}. */
  settlesChildren: boolean;
}

/** Memory of a fragment's columns in the queue, without the body. */
const fragmentOverheadBytes = 400;

/** Memory of an update's columns in the queue, without the body. */
const updateOverheadBytes = 300;

/** Errors that are answered with 429. */
const refusals: ReadonlySet<string> = new Set(["queue_full", "trace_quota_spent"]);

export function createSpanRecorder(options: SpanRecorderOptions): SpanRecorder {
  const { commits, tenants, clock, fieldCharsMax, metrics, quota, settlesChildren } = options;

  /** Children are free. A replayed root is rejected too: recognising it would cost a statement. */
  function requireQuota(projectId: string, spans: readonly IncomingSpan[]): void {
    const remainingMs = quota?.spent.remainingMs(projectId) ?? null;
    if (quota === null || remainingMs === null) return;
    if (spans.some((span) => span.parentSpanId === null || span.parentIsRemote)) {
      throw quotaRefusal(quota.tracesPerDay, remainingMs);
    }
  }

  async function countingRefusals<Result>(spans: number, record: () => Promise<Result>): Promise<Result> {
    try {
      return await record();
    } catch (thrown) {
      if (isAppError(thrown) && refusals.has(thrown.code)) metrics.rejected(spans);
      throw thrown;
    }
  }

  return {
    async record(spans, { projectId, agentId = null, monitor = null, patternIds = null }) {
      if (spans.length === 0) return [];
      const asked = { agentId, monitor, patternIds };
      const context = { projectId, nowMs: clock.now(), fieldCharsMax, settlesChildren, ...asked };
      return await countingRefusals(spans.length, async () => {
        requireQuota(projectId, spans);
        commits.requireRoom(spans.length, tenants.tenantOf(projectId));
        const stored = await commits.submit(await prepareSpans(spans, context));
        metrics.stored(stored);
        return stored;
      });
    },
    async recordFragments(fragments, projectId) {
      if (fragments.length === 0) return;
      const bytes = fragments.reduce((sum, { body }) => sum + body.length + fragmentOverheadBytes, 0);
      await commits.submit({ projectId, rows: [], fragments, bytes });
    },
    async recordUpdates(updates, projectId) {
      if (updates.length === 0) return [];
      const bytes = updates.reduce((sum, { body }) => sum + body.length + updateOverheadBytes, 0);
      return await countingRefusals(updates.length, () => commits.submit({ projectId, rows: [], updates, bytes }));
    },
  };
}
