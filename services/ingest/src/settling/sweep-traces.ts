import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { removeDoubtedAgents } from "../agents/doubted-agent-store.ts";
import type { AssemblySettings } from "../assembly/assembly-settings.ts";
import { type LeasedTurns, takeLeasedTurns } from "../background/leased-turns.ts";
import { waitingChildren } from "../trace-store/settling/awaited-parents.ts";
import { createDueReader } from "../trace-store/settling/due-rows.ts";
import { settlingTraces } from "../trace-store/settling/due-traces.ts";
import { recheckResponses, waitingTraces } from "../trace-store/settling/waiting-traces.ts";
import { settleDueTraces } from "./settle-due-traces.ts";
import { sweepAwaitedParents } from "./sweep-awaited-parents.ts";
import { sweepDueTraces } from "./sweep-due-traces.ts";

/** Counters have one shard for each writer; this is the sweeper's. */
const sweeperShard = -2;
const everyMs = 500;
/** What one turn takes. Projects share it. */
const tracesMax = 200;
const childrenMax = 500;
const retryMs = 5_000;
const recheckEveryMs = 10_000;

/**
 * Does the deferred work of traces: promotes orphans, demotes them when their parent arrives, derives large traces,
 * announces settled ones, and removes unreferenced agents. Only the replica that holds the lease does it.
 */
export function sweepTraces(options: {
  maintenance: Database;
  tracesPerDay: number | null;
  settings: AssemblySettings;
  /** True if child spans are announced with the traces that settle (completions 1.7). */
  settlesChildren: boolean;
  logger: Logger;
  /** Called after a turn that may have announced something. */
  onSwept(): void;
}): LeasedTurns {
  const { maintenance, tracesPerDay, settings, settlesChildren, logger } = options;
  const sweepOnce = createTraceSweep({ maintenance, tracesPerDay, settings, settlesChildren, logger });
  let recheckAtMs = 0;
  return takeLeasedTurns({
    database: maintenance,
    name: "trees",
    firstMs: 0,
    retryMs,
    failure: "traces could not be looked after; trying again",
    logger,
    async takeTurn() {
      if (performance.now() >= recheckAtMs) {
        recheckAtMs = performance.now() + recheckEveryMs;
        await recheckResponses(maintenance);
      }
      const swept = await sweepOnce();
      if (swept > 0) options.onSwept();
      return swept > 0 ? 0 : everyMs;
    },
  });
}

/** One turn over everything that is due; returns how much it was. */
export function createTraceSweep(options: {
  maintenance: Database;
  tracesPerDay: number | null;
  settings: AssemblySettings;
  /** Absent = false. */
  settlesChildren?: boolean;
  logger: Logger;
}): () => Promise<number> {
  const { maintenance, tracesPerDay, settings, settlesChildren = false, logger } = options;
  const context = { shard: sweeperShard, quota: tracesPerDay, settings };
  const readTraces = createDueReader(waitingTraces, tracesMax);
  const readChildren = createDueReader(waitingChildren, childrenMax);
  const readSettling = createDueReader(settlingTraces, tracesMax);
  return async () => {
    const traces = await sweepDueTraces(maintenance, await readTraces(maintenance), context, logger);
    const children = await sweepAwaitedParents(maintenance, await readChildren(maintenance), context, logger);
    const settling = await readSettling(maintenance);
    const settled = await settleDueTraces(maintenance, settling, { settlesChildren, logger });
    await removeDoubtedAgents(maintenance);
    return traces + children + settled;
  };
}
