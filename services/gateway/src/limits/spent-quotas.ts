import {
  otlpQuotaRetryAfterSeconds,
  parseSpentQuota,
  type Route,
  type RouteId,
  traceQuotaMessage,
} from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

export interface SpentQuotas {
  /** Records the quota that ingest reported with its answer. */
  note(projectId: string, header: unknown): void;
  /** Refuses (429) traces of a project whose daily quota is known to be spent; any other request passes. */
  check(projectId: string, route: Route): void;
}

/** How long a report of ingest is valid: the quota may be raised (decision 15). */
const recheckMs = 5_000;

const guarded: readonly RouteId[] = ["submitTrace", "submitSpanUpdates", "receiveTraces", "receiveTracesAtBase"];

/**
 * Remembers the projects that used up their daily quota of traces, so that their traffic is refused before a body is
 * read, and costs ingest one request in 5 s. The exact count remains in ingest.
 */
export function createSpentQuotas({ entriesMax = 10_000 }: { entriesMax?: number } = {}): SpentQuotas {
  const spent = new Map<string, { tracesPerDay: number; untilMs: number }>();
  return {
    note(projectId, header) {
      const quota = parseSpentQuota(header);
      if (quota === null) return;
      spent.delete(projectId);
      // Elapsed time: no wall clock, here or at the database, can lock a project out.
      const untilMs = performance.now() + Math.min(quota.remainingMs, recheckMs);
      spent.set(projectId, { tracesPerDay: quota.tracesPerDay, untilMs });
      const [oldest] = spent.keys();
      if (spent.size > entriesMax && oldest !== undefined) spent.delete(oldest);
    },
    check(projectId, route) {
      const quota = spent.get(projectId);
      if (quota === undefined || !guarded.includes(route.id as RouteId)) return;
      if (performance.now() >= quota.untilMs) {
        spent.delete(projectId);
        return;
      }
      throw new AppError(
        "trace_quota_spent",
        traceQuotaMessage(quota.tracesPerDay),
        route.envelope === "otlp" ? { retryAfterSeconds: otlpQuotaRetryAfterSeconds } : {},
      );
    },
  };
}
