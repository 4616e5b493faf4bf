import type { Logger } from "@touchstone/service-kit";
import type { UsageStore } from "./usage-store.ts";

/** Counts calls in memory and stores them in batches, so that a budget without a limit needs no statement per call. */
export interface UsageCounter {
  count(projectId: string): void;
  /** Stores the remaining counts and ends. */
  stop(): Promise<void>;
}

export interface UsageCounterOptions {
  usage: UsageStore;
  logger: Logger;
  intervalMs?: number;
}

const intervalDefaultMs = 2_000;
/**
 * Limits the memory while PostgreSQL is unavailable. Calls of further projects are not counted, and a warning is logged.
 */
const projectsMax = 10_000;

/** The counts of a failed batch are added to the next. A batch whose response was lost may be counted twice. */
export function createUsageCounter({
  usage,
  logger,
  intervalMs = intervalDefaultMs,
}: UsageCounterOptions): UsageCounter {
  let counted = new Map<string, number>();
  let storing: Promise<void> | null = null;

  function add(projectId: string, calls: number): void {
    const before = counted.get(projectId);
    if (before === undefined && counted.size >= projectsMax) {
      logger.warn({ projectsMax }, "usage of further projects is not counted until the database is back");
    } else {
      counted.set(projectId, (before ?? 0) + calls);
    }
  }

  async function store(): Promise<void> {
    if (counted.size === 0) return;
    const batch = [...counted].map(([projectId, calls]) => ({ projectId, calls }));
    counted = new Map();
    try {
      await usage.addCalls(batch);
    } catch (err) {
      logger.warn({ err }, "judge usage could not be stored; trying again");
      for (const { projectId, calls } of batch) add(projectId, calls);
    }
  }

  const timer = setInterval(() => {
    storing ??= store().finally(() => {
      storing = null;
    });
  }, intervalMs);
  timer.unref();

  return {
    count: (projectId) => add(projectId, 1),
    async stop() {
      clearInterval(timer);
      await storing;
      await store();
    },
  };
}
