import type { Bus } from "@touchstone/bus";
import type { Database } from "@touchstone/db";
import { createCounter, createGauge, type Logger, type Metrics } from "@touchstone/service-kit";
import { consumeSpansSettled, consumeTracesSettled } from "./bus.ts";
import type { Check, CheckKind } from "./check.ts";
import { type AlsoRecord, createCheckPlanner } from "./check-planner.ts";
import type { CheckStore, Ending } from "./check-store.ts";
import { startCheckWorker, type WorkerTimings } from "./check-worker.ts";

/** Running live checks. */
export interface RunningChecks {
  /** Signals that checks may have become due. */
  wake(): void;
  stop(): Promise<void>;
}

/** Concurrent checks per replica. The services they call have separate limits. */
const checksInHand = 24;

/** Starts planning the checks of settled traces, and executing them. */
export function startChecks(options: {
  /** Connects as the application role. */
  database: Database;
  store: CheckStore;
  bus: Bus;
  /** All kinds of checks. */
  checks: readonly Check[];
  logger: Logger;
  alsoRecord?: AlsoRecord;
  onSettled?: (kind: CheckKind, outcome: Ending["outcome"]) => void;
  timings?: WorkerTimings;
}): RunningChecks {
  const { database, store, bus, checks, logger, alsoRecord, onSettled, timings } = options;
  const worker = startCheckWorker({
    store,
    checks,
    logger,
    concurrency: checksInHand,
    ...(timings && { timings }),
    ...(onSettled && { onSettled }),
  });
  const planner = createCheckPlanner({
    database,
    checks,
    logger,
    onPlanned: () => worker.wake(),
    ...(alsoRecord && { alsoRecord }),
  });
  const consuming = [consumeTracesSettled(bus, { planner }), consumeSpansSettled(bus, { planner })];
  return {
    wake: () => worker.wake(),
    async stop() {
      await Promise.all(consuming.map(async (each) => (await each).stop()));
      await worker.stop();
    },
  };
}

/** Counts the outcomes of checks, and reports the number of due ones. */
export function countChecks(
  metrics: Metrics,
  store: Pick<CheckStore, "countDue">,
): { onSettled(kind: CheckKind, outcome: Ending["outcome"]): void } {
  const settled = createCounter(metrics, "service_monitor_checks_settled_total");
  createGauge(metrics, "service_monitor_checks_due", async (gauge) =>
    gauge.set(await store.countDue().catch(() => -1)),
  );
  return { onSettled: (kind, outcome) => settled.inc({ kind, outcome }) };
}
