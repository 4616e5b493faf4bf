import { formatSpentQuota, spentQuotaHeader, traceQuotaMessage } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

/** Projects that have spent their daily quota, so that rejecting their traces needs no statement. Bounded. */
export interface SpentProjects {
  /** Milliseconds until the project's next day, or null if it is not known to have spent this one. */
  remainingMs(projectId: string): number | null;
  /** `remainingMs` until midnight, by PostgreSQL's clock. */
  remember(projectId: string, remainingMs: number): void;
}

/** A forgotten project costs one statement and is remembered again. */
const projectsMax = 10_000;

/** `elapsedMs` is monotonic: the wall clock of this machine does not decide when a day ends. */
export function createSpentProjects(elapsedMs: () => number = () => performance.now()): SpentProjects {
  const until = new Map<string, number>();
  return {
    remainingMs(projectId) {
      const untilMs = until.get(projectId);
      if (untilMs === undefined) return null;
      const remainingMs = untilMs - elapsedMs();
      if (remainingMs > 0) return remainingMs;
      until.delete(projectId);
      return null;
    },
    remember(projectId, remainingMs) {
      until.delete(projectId);
      until.set(projectId, elapsedMs() + remainingMs);
      const [oldest] = until.keys();
      if (until.size > projectsMax && oldest !== undefined) until.delete(oldest);
    },
  };
}

/**
 * The error for traces beyond the daily quota (completions 1.4). `remainingMs`: nothing fits until midnight, which the
 * gateway receives too; null = fewer traces might still fit.
 */
export function quotaRefusal(tracesPerDay: number, remainingMs: number | null): AppError {
  const headers =
    remainingMs === null ? undefined : { [spentQuotaHeader]: formatSpentQuota({ tracesPerDay, remainingMs }) };
  return new AppError("trace_quota_spent", traceQuotaMessage(tracesPerDay), { internalHeaders: headers });
}
