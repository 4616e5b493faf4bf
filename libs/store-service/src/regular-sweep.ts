import { AppError, type Logger } from "@touchstone/service-kit";

/** A sweep that runs by itself again and again. */
export interface RegularSweep {
  /** Does what is due now; answers how much that was. */
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

/** Runs `sweep` every so often, one at a time. Several replicas may: what a sweep does is idempotent. */
export function sweepRegularly(options: {
  sweep: () => Promise<number>;
  everyMs: number;
  logger: Logger;
  /** What the log says of a failure that nobody foresaw. */
  failure: string;
}): RegularSweep {
  const { sweep, everyMs, logger, failure } = options;
  let sweeping: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    sweeping ??= sweep()
      .catch((err) => {
        // Readiness reports a database that is unavailable, and the next sweep comes by itself.
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
