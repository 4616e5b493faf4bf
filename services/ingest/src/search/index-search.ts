import type { Database } from "@touchstone/db";
import { type Logger, runInSlices, type Sliced } from "@touchstone/service-kit";
import { createLease } from "../background/lease.ts";
import { blockNumbersMax, createPostingsBuilder, type Postings, type PostingsBuilder } from "./postings.ts";
import {
  type Block,
  blockBytesMax,
  numbersAhead,
  type OpenBlock,
  type SearchBlockStore,
  type SearchedText,
} from "./search-block-store.ts";

const turnMs = 1_000;
const retryMs = 5_000;
/** The fewest new texts for which it is worthwhile to look for a full block. */
const newTextsLeast = 64;

/** A running maintenance of the search index. */
export interface SearchUpkeep {
  /** Stops it; a block that is being built is left unfinished. */
  stop(): Promise<void>;
}

export interface SearchUpkeepOptions {
  blocks: SearchBlockStore;
  maintenance: Database;
  logger: Logger;
}

/**
 * Maintains the search index in the background, on the one replica that holds the lease: creates pieces of the table
 * ahead of writers, and stores the postings of each full block of texts. Texts without postings are searched by reading
 * them. Does nothing while no text is stored.
 */
export function indexSearch({ blocks, maintenance, logger }: SearchUpkeepOptions): SearchUpkeep {
  const lease = createLease({ database: maintenance, name: "search", logger, onAcquired: () => undefined });
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  /** No piece of the table is missing below this number. */
  let piecesEnd = 0;
  /** Numbers below `below` were taken before these transactions were listed. */
  let settling: { below: number; writers: readonly string[] } | null = null;
  /** No text appears below this number any more. */
  let settled = 0;
  /** A full block is unlikely while fewer numbers are settled. */
  let lookAt = 0;
  /** A build takes seconds where much is to be done, while pieces must still be created. */
  let building: Promise<void> | null = null;
  let turn: Promise<void> = takeTurn();

  async function takeTurn(): Promise<void> {
    let delayMs = turnMs;
    try {
      if (lease.isHeld()) await keepUp(await blocks.readLastNumber());
    } catch (err) {
      logger.warn({ err }, "the search index could not be kept up; trying again");
      delayMs = retryMs;
    }
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      turn = takeTurn();
    }, delayMs);
  }

  async function keepUp(lastNumber: number): Promise<void> {
    if (piecesEnd <= lastNumber + numbersAhead) piecesEnd = await blocks.makePieces();
    if (settling === null && lastNumber + 1 > lookAt) {
      settling = { below: lastNumber + 1, writers: await blocks.readWriters() };
    }
    if (settling !== null && !(await blocks.areWriting(settling.writers))) {
      settled = settling.below;
      settling = null;
    }
    if (settled > lookAt) building ??= build().finally(() => (building = null));
  }

  async function build(): Promise<void> {
    const below = settled;
    try {
      for (;;) {
        const found = await blocks.findBlock(below);
        if ("open" in found) {
          lookAt = below + missingTexts(found.open);
          break;
        }
        await blocks.storePostings(found.block, await readPostings(found.block));
      }
      await blocks.dropTrigramIndexes();
    } catch (err) {
      // Writers and readers have priority; the next turn tries again.
      if (!stopping.signal.aborted) logger.debug({ err }, "the search index was not kept up");
    }
  }

  async function readPostings(block: Block): Promise<Postings> {
    const builder = createPostingsBuilder();
    for await (const texts of blocks.readTexts(block)) {
      await runInSlices(addTexts(builder, block, texts), stopping.signal);
    }
    return await runInSlices(builder.encode(), stopping.signal);
  }

  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await turn;
      await building;
      await lease.stop();
    },
  };
}

function* addTexts(builder: PostingsBuilder, { first }: Block, texts: readonly SearchedText[]): Sliced<void> {
  for (const { number, projectId, text } of texts) {
    builder.add(number - first, projectId, text);
    yield;
  }
}

/** How many texts of the same length would fill the block. */
function missingTexts({ texts, bytes }: OpenBlock): number {
  if (texts === 0) return newTextsLeast;
  const ofBytes = (blockBytesMax - bytes) / Math.max(bytes / texts, 1);
  return Math.max(Math.floor(Math.min(blockNumbersMax - texts, ofBytes)), newTextsLeast);
}
