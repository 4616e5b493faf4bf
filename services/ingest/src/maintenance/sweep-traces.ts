import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { removeDoubtedAgents } from "../agents/remove-doubted-agents.ts";
import { sweepAwaitedParents } from "../trees/sweep-awaited-parents.ts";
import { recheckResponses, sweepDueTraces } from "../trees/sweep-due-traces.ts";
import type { TreeSettings } from "../trees/write-trees.ts";
import { createLease } from "./lease.ts";

/** The sweeper at work. */
export interface TraceSweeper {
  stop(): Promise<void>;
}

/** Counters have a shard for each writer; the sweeper's is its own. */
const sweeperShard = -2;
const everyMs = 500;
const retryMs = 5_000;
const recheckEveryMs = 10_000;

/**
 * Does what traces wait for: promotes orphans, demotes them when their parent came after all, derives large traces,
 * removes agents nothing refers to any more. Of several replicas only the one that holds the lease does.
 */
export function sweepTraces(options: {
  maintenance: Database;
  tracesPerDay: number | null;
  settings: TreeSettings;
  logger: Logger;
  /** Called after a turn that may have announced something. */
  onSwept(): void;
}): TraceSweeper {
  const { maintenance, tracesPerDay, settings, logger } = options;
  const sweepOnce = createTraceSweep({ maintenance, tracesPerDay, settings });
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let turn: Promise<void> = Promise.resolve();
  let recheckAtMs = 0;
  const lease = createLease({ database: maintenance, name: "trees", logger, onAcquired: () => schedule(0) });

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      turn = sweep();
    }, delayMs).unref();
  }

  async function sweep(): Promise<void> {
    // Another replica has it; getting it back schedules the next turn.
    if (!lease.isHeld()) return;
    try {
      if (performance.now() >= recheckAtMs) {
        recheckAtMs = performance.now() + recheckEveryMs;
        await recheckResponses(maintenance);
      }
      const swept = await sweepOnce();
      if (swept > 0) options.onSwept();
      schedule(swept > 0 ? 0 : everyMs);
    } catch (err) {
      logger.warn({ err }, "traces could not be looked after; trying again");
      schedule(retryMs);
    }
  }

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await turn;
      await lease.stop();
    },
  };
}

/** One turn of all that is due now; answers how much was. */
export function createTraceSweep(options: {
  maintenance: Database;
  tracesPerDay: number | null;
  settings: TreeSettings;
}): () => Promise<number> {
  const { maintenance, tracesPerDay, settings } = options;
  const context = { shard: sweeperShard, quota: tracesPerDay, settings };
  return async () => {
    const traces = await sweepDueTraces(maintenance, context);
    const children = await sweepAwaitedParents(maintenance, context);
    await removeDoubtedAgents(maintenance);
    return traces + children;
  };
}
