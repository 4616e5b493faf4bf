import { createGauge, type Metrics } from "@touchstone/service-kit";

/** Shown as -1. */
const unknownMs = -1_000;

export interface SweepTimer {
  /** Measures a sweep of the replica that holds the lease, which `isOurs` says. One at a time. */
  time<Result>(isOurs: () => boolean, sweep: () => Promise<Result>): Promise<Result>;
}

/**
 * Registers the metric of how long sweeps take. Without the lease it is -1: another replica sweeps, and an old value would hide
 * the present one.
 */
export function createSweepTimer(metrics: Metrics): SweepTimer {
  let holdsLease = (): boolean => false;
  let startedMs: number | null = null;
  let lastMs = unknownMs;

  createGauge(metrics, "service_ingest_retention_sweep_seconds", (gauge) => {
    const runningMs = startedMs === null ? unknownMs : performance.now() - startedMs;
    gauge.set((holdsLease() ? Math.max(lastMs, runningMs) : unknownMs) / 1_000);
  });

  return {
    async time(isOurs, sweep) {
      holdsLease = isOurs;
      startedMs = performance.now();
      try {
        const result = await sweep();
        lastMs = performance.now() - startedMs;
        return result;
      } finally {
        startedMs = null;
      }
    },
  };
}
