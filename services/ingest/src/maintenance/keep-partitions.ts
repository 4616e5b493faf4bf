import type { Clock, Logger } from "@touchstone/service-kit";
import type { SpanPartitionStore } from "../spans/span-partition-store.ts";

const hourMs = 60 * 60 * 1000;
const retryMs = 10_000;

/** The upkeep at work. */
export interface PartitionUpkeep {
  /** `ok`, or why spans of this moment may have nowhere to go. */
  state(): string;
  stop(): void;
}

/**
 * Makes the partitions of this week and the next two, now and every hour. Every replica does: making one that is there
 * costs nothing, and a batch that finds none makes its own.
 */
export function keepPartitions(options: {
  partitions: SpanPartitionStore;
  clock: Clock;
  logger: Logger;
}): PartitionUpkeep {
  const { partitions, clock, logger } = options;
  let state = "not made yet";
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function turn(): Promise<void> {
    let delayMs = hourMs;
    try {
      const made = await partitions.makeAhead(clock.now());
      if (made > 0) logger.info({ made }, "partitions made");
      state = "ok";
    } catch (err) {
      logger.warn({ err }, "partitions could not be made; trying again");
      // What was made before lasts for weeks.
      if (state !== "ok") state = err instanceof Error ? err.message : "could not be made";
      delayMs = retryMs;
    }
    if (!stopped) timer = setTimeout(() => void turn(), delayMs).unref();
  }

  void turn();
  return {
    state: () => state,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
