import type { Database } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { createLease } from "../background/lease.ts";
import type { PieceRange, SearchPieceStore } from "./search-piece-store.ts";

/** A merge of neighbours in progress: announced, then copied, then swapped in. */
interface Merge {
  range: PieceRange;
  /** The transactions that ran when it was announced are below this one. */
  afterXid: string;
  /** Null: not copied yet. */
  swapAtMs: number | null;
}

const turnMs = 1_000;
const retryMs = 5_000;

/** A running maintenance of the search index. */
export interface SearchUpkeep {
  /** Stops it; a piece that is being built is left unfinished. */
  stop(): Promise<void>;
}

export interface SearchUpkeepOptions {
  pieces: SearchPieceStore;
  maintenance: Database;
  logger: Logger;
  /** The longest time that a statement may read the searched text. */
  longestReadMs: number;
}

/**
 * Maintains the search index in the background, on the one replica that holds the lease: creates pieces ahead of
 * writers, indexes full ones, and merges neighbours while no piece waits for an index. Text without an index is
 * searched by reading it.
 */
export function indexSearch({ pieces, maintenance, logger, longestReadMs }: SearchUpkeepOptions): SearchUpkeep {
  const lease = createLease({ database: maintenance, name: "search", logger, onAcquired: () => undefined });
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  /** The newest number at the previous turn: transactions that wrote up to it have almost certainly ended. */
  let settledSeq = 0;
  let merge: Merge | null = null;
  /** A build may take a minute, while pieces must still be created. */
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
      // Writers and readers have priority; the next turn tries again.
      logger.debug({ err }, "the search index was not kept up");
    } finally {
      isBuilding = false;
    }
  }

  /** One step per turn, so that the next full piece does not wait for a merge. */
  async function advanceMerge(): Promise<void> {
    if (merge === null) {
      const range = await pieces.findNeighbours();
      if (range !== null) merge = { range, afterXid: await pieces.announceCopy(range), swapAtMs: null };
    } else if (merge.swapAtMs === null) {
      if (!(await pieces.hasSettled(merge.afterXid))) return;
      const { range, afterXid } = merge;
      // Restarted if it fails; the next announcement drops what is left of it.
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
