import type { Clock, Logger } from "@touchstone/service-kit";
import type { SpanPartitionStore } from "../span-partition-store.ts";

const hourMs = 60 * 60 * 1000;
const retryMs = 10_000;
/** Partitions exist for at least this long after a turn: a whole week, and two more follow. */
const madeAheadMs = 2 * 7 * 24 * hourMs;

/** A running partition maintenance. */
export interface PartitionUpkeep {
  /** `ok`, or why current spans may have no partition: those created ahead have run out. */
  state(): string;
  stop(): void;
}

/**
 * Creates the partitions of this week and the next two, now and every hour. Every replica does it: existing ones cost
 * nothing, and a batch without a partition creates it.
 */
export function keepPartitions(options: {
  partitions: SpanPartitionStore;
  clock: Clock;
  logger: Logger;
}): PartitionUpkeep {
  const { partitions, clock, logger } = options;
  let failure = "not made yet";
  let lastsUntilMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let stopped = false;

  async function turn(): Promise<void> {
    clearTimeout(timer);
    isWaiting = false;
    let delayMs = hourMs;
    try {
      const startedMs = clock.now();
      const made = await partitions.makeAhead(startedMs);
      if (made > 0) logger.info({ made }, "partitions made");
      lastsUntilMs = startedMs + madeAheadMs;
    } catch (err) {
      logger.warn({ err }, "partitions could not be made; trying again");
      failure = err instanceof Error ? err.message : "could not be made";
      delayMs = retryMs;
    }
    if (stopped) return;
    timer = setTimeout(() => void turn(), delayMs).unref();
    isWaiting = delayMs === hourMs;
  }

  void turn();
  return {
    state() {
      if (clock.now() < lastsUntilMs) return "ok";
      // The clock was moved ahead, by a resumed machine for example: the timer knows nothing of it.
      if (isWaiting) void turn();
      return failure;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
