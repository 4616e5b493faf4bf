import { formatSpentQuota, spentQuotaHeader, traceQuotaMessage } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

/** Projects that used all their traces of the day, so that refusing more of them costs no statement. Bounded. */
export interface SpentProjects {
  /** Milliseconds until the project's next day, or null when it is not known to have spent this one. */
  remainingMs(projectId: string): number | null;
  /** `remainingMs` until midnight, as PostgreSQL says. */
  remember(projectId: string, remainingMs: number): void;
}

/** One that is forgotten costs a statement and is remembered again. */
const projectsMax = 10_000;

/** `elapsedMs` never goes back: the wall clock of this machine has no say in when a day ends. */
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
 * The refusal of traces that do not fit into the day's quota (completions 1.4). With `remainingMs` nothing more fits
 * until midnight, and the gateway is told so; null = less might still fit.
 */
export function quotaRefusal(tracesPerDay: number, remainingMs: number | null): AppError {
  const headers =
    remainingMs === null ? undefined : { [spentQuotaHeader]: formatSpentQuota({ tracesPerDay, remainingMs }) };
  return new AppError("trace_quota_spent", traceQuotaMessage(tracesPerDay), { internalHeaders: headers });
}
