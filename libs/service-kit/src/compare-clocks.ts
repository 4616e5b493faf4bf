import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";

/** Hosts that are synchronized agree within a second; identities live 30 s. */
const differenceMaxMs = 20_000;
const repeatMs = 60_000;

/** A reading of another clock, between two of our own, all in epoch milliseconds. */
export interface ClockReading {
  beforeMs: number;
  otherMs: number;
  afterMs: number;
}

/**
 * How far our clock is ahead of another one in milliseconds, negative if it is behind: the least that explains the
 * reading, however long it took.
 */
export function aheadBy({ beforeMs, otherMs, afterMs }: ClockReading): number {
  return Math.max(0, beforeMs - otherMs) - Math.max(0, otherMs - afterMs);
}

/** `ok`, or a sentence for readiness. */
function describeClock(aheadMs: number, other: string): string {
  if (Math.abs(aheadMs) <= differenceMaxMs) return "ok";
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return `The clock of this process is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} that of ${other}.`;
}

/** Judges differences to the clocks of others, and logs one line a minute while they are too large. */
export function createClockJudge({
  logger,
}: {
  logger: Pick<Logger, "error">;
}): (aheadMs: number, other: string) => string {
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  return (aheadMs, other) => {
    const clock = describeClock(aheadMs, other);
    if (clock !== "ok" && performance.now() >= quietUntilMs) {
      quietUntilMs = performance.now() + repeatMs;
      logger.error({ clock, aheadMs: Math.round(aheadMs) }, "the clock of this process differs from another one");
    }
    return clock;
  };
}

/** How often a state that was read is read again. */
const maxAgeMs = 60_000;

/**
 * The state of our clock for readiness, compared with another one at the first call and again after a minute. While the
 * other one cannot be read, the last state holds.
 */
export function createClockCheck(options: {
  clock: Clock;
  logger: Pick<Logger, "error">;
  /** Whose clock the other one is. */
  other: string;
  /** The other clock's time in epoch milliseconds. */
  readOther: () => Promise<number>;
}): () => Promise<string> {
  const { clock, other, readOther } = options;
  const judge = createClockJudge(options);
  let state = "ok";
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - readAtMs < maxAgeMs) return state;
    const beforeMs = clock.now();
    try {
      const otherMs = await readOther();
      state = judge(aheadBy({ beforeMs, otherMs, afterMs: clock.now() }), other);
      readAtMs = performance.now();
    } catch {
      // The check of what could not be read says why.
    }
    return state;
  };
}
