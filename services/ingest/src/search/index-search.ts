import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { createLease } from "../background/lease.ts";
import type { PieceRange, SearchPieceStore } from "./search-piece-store.ts";

/** A merge of neighbours on its way: announced, then copied, then swapped in. */
interface Merge {
  range: PieceRange;
  /** Who ran when it was announced. */
  afterXid: string;
  /** Null: to be copied. */
  swapAtMs: number | null;
}

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
  let merge: Merge | null = null;
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
      } else merge = null;
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
      if (!stopped) await advanceMerge();
    } catch (err) {
      // Writers and readers go first; the next turn tries again.
      logger.debug({ err }, "the search index was not kept up");
    } finally {
      isBuilding = false;
    }
  }

  /** One step at a turn, so that the next full piece does not wait for a merge. */
  async function advanceMerge(): Promise<void> {
    if (merge === null) {
      const range = await pieces.findNeighbours();
      if (range !== null) merge = { range, afterXid: await pieces.announceCopy(range), swapAtMs: null };
    } else if (merge.swapAtMs === null) {
      if (!(await pieces.hasSettled(merge.afterXid))) return;
      const { range, afterXid } = merge;
      // Begun anew if it fails: what is left of it is dropped then.
      merge = null;
      await pieces.copy(range);
      merge = { range, afterXid, swapAtMs: performance.now() + longestReadMs };
    } else if (performance.now() >= merge.swapAtMs) {
      await pieces.swap(merge.range);
      merge = null;
      await pieces.dropReplaced();
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
