import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import type { SearchPieceStore } from "../search/search-piece-store.ts";
import { createLease } from "./lease.ts";

const turnMs = 1_000;
const retryMs = 5_000;

/** The upkeep of the search index at work. */
export interface SearchUpkeep {
  /** `ok`, or why the newest texts may have nowhere to go. */
  state(): string;
  stop(): Promise<void>;
}

/**
 * Keeps pieces for the searched texts ready and indexes those that are full, off the path of those who write: of several
 * replicas the one that holds the lease does. What is not indexed yet is searched by reading it.
 */
export function indexSearch(options: {
  pieces: SearchPieceStore;
  maintenance: Database;
  logger: Logger;
}): SearchUpkeep {
  const { pieces, maintenance, logger } = options;
  const lease = createLease({ database: maintenance, name: "search", logger, onAcquired: () => undefined });
  let state = "ok";
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  /** The newest number at the turn before: whoever wrote up to there has nearly surely ended. */
  let settledSeq = 0;
  let turn: Promise<void> = takeTurn();

  async function takeTurn(): Promise<void> {
    let delayMs = turnMs;
    try {
      if (lease.isHeld()) {
        await pieces.makeAhead();
        const lastSeq = await pieces.readLastSeq();
        const built = await pieces.indexOne(settledSeq);
        settledSeq = lastSeq;
        if (built) delayMs = 0;
      }
      state = "ok";
    } catch (err) {
      logger.warn({ err }, "the search index was not kept up; trying again");
      state = err instanceof Error ? err.message : "not kept up";
      delayMs = retryMs;
    }
    if (stopped) return;
    timer = setTimeout(() => {
      turn = takeTurn();
    }, delayMs);
  }

  return {
    state: () => state,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await turn;
      await lease.stop();
    },
  };
}
