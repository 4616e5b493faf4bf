import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import type { PieceRange, SearchPieceStore } from "../search/search-piece-store.ts";
import { createLease } from "./lease.ts";

const turnMs = 1_000;
const retryMs = 5_000;

/** The upkeep of the search index at work. */
export interface SearchUpkeep {
  /** Ends the upkeep; a piece that is being built is left unfinished. */
  stop(): Promise<void>;
}

export interface SearchUpkeepOptions {
  pieces: SearchPieceStore;
  maintenance: Database;
  logger: Logger;
  /** Longer than any statement that reads the searched text may take. */
  longestReadMs: number;
}

/**
 * Keeps pieces for the searched texts ready, indexes those that are full, off the path of those who write, and merges
 * neighbours while nothing waits for an index: of several replicas the one that holds the lease does. What is not indexed
 * yet is searched by reading it.
 */
export function indexSearch({ pieces, maintenance, logger, longestReadMs }: SearchUpkeepOptions): SearchUpkeep {
  const lease = createLease({ database: maintenance, name: "search", logger, onAcquired: () => undefined });
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  /** The newest number at the turn before: whoever wrote up to there has nearly surely ended. */
  let settledSeq = 0;
  let merging: { range: PieceRange; dueMs: number } | null = null;
  /** A build may take a minute, while pieces are still to be made. */
  let isBuilding = false;
  let turn: Promise<void> = takeTurn();

  async function takeTurn(): Promise<void> {
    let delayMs = turnMs;
    try {
      if (lease.isHeld()) {
        await pieces.makeAhead();
        const lastSeq = await pieces.readLastSeq();
        if (!isBuilding) void build(settledSeq);
        settledSeq = lastSeq;
      } else merging = null;
    } catch (err) {
      logger.warn({ err }, "pieces for the searched text could not be made; trying again");
      delayMs = retryMs;
    }
    if (stopped) return;
    timer = setTimeout(() => {
      turn = takeTurn();
    }, delayMs);
  }

  async function build(fullTo: number): Promise<void> {
    isBuilding = true;
    try {
      while (!stopped && (await pieces.indexOne(fullTo)));
      if (!stopped) await merge();
    } catch (err) {
      // Writers and readers go first; the next turn tries again.
      logger.debug({ err }, "the search index was not kept up");
    } finally {
      isBuilding = false;
    }
  }

  async function merge(): Promise<void> {
    if (merging === null) {
      const range = await pieces.findNeighbours();
      if (range === null) return;
      await pieces.copy(range);
      merging = { range, dueMs: performance.now() + longestReadMs };
    } else if (performance.now() >= merging.dueMs) {
      await pieces.swap(merging.range);
      merging = null;
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
