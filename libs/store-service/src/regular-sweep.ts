import { AppError, type Logger } from "@touchstone/service-kit";

/** A sweep that repeats by itself. */
export interface RegularSweep {
  /** Does the work that is due now; returns how much that was. */
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

/** Runs `sweep` at an interval, one at a time. Several replicas may run it: a sweep is idempotent. */
export function sweepRegularly(options: {
  sweep: () => Promise<number>;
  everyMs: number;
  logger: Logger;
  /** The log message for an unexpected failure. */
  failure: string;
}): RegularSweep {
  const { sweep, everyMs, logger, failure } = options;
  let sweeping: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    sweeping ??= sweep()
      .catch((err) => {
        // Readiness reports an unavailable database, and the next sweep follows as scheduled.
        if (!(err instanceof AppError)) logger.error({ err }, failure);
      })
      .finally(() => {
        sweeping = null;
      });
  }, everyMs);

  return {
    sweep,
    async stop() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
