import type { Database } from "@touchstone/db";
import { asBuilder } from "./as-builder.ts";

/** Numbers in one new piece of the searched texts. */
const pieceRows = 4096;
/** Empty pieces kept beyond the last text. */
const piecesAhead = 16;

/**
 * This many neighbours of one size are merged into one piece, and again this many of those; larger ones are not merged.
 */
const mergedPieces = 8;
const mergedSizes = [pieceRows, pieceRows * mergedPieces];

/** Neighbours to be merged: numbers from `first` to before `beyond`. */
export interface PieceRange {
  first: number;
  beyond: number;
}

/** The pieces of the searched texts (ingest.search_docs). The maintenance role creates and indexes them. */
export interface SearchPieceStore {
  /** Creates missing pieces: the current one and the next sixteen. Returns how many were missing. */
  makeAhead(): Promise<number>;
  /** The number of the newest text. */
  readLastSeq(): Promise<number>;
  /** Indexes the oldest piece without an index whose numbers are all up to `fullTo`; false if there is none. */
  indexOne(fullTo: number): Promise<boolean>;
  /** Eight indexed neighbours of one size, the smallest first; null if there are none. */
  findNeighbours(): Promise<PieceRange | null>;
  /** Announces the copy of neighbours and drops leftovers of an earlier merge. Returns a transaction to wait for. */
  announceCopy(range: PieceRange): Promise<string>;
  /** True if all transactions below this one have ended. */
  hasSettled(xid: string): Promise<boolean>;
  /**
   * Copies and indexes neighbours in the background: takes up to minutes. Call it when the announcement has settled.
   */
  copy(range: PieceRange): Promise<void>;
  /**
   * Replaces the neighbours with the copy. Call it when all readers from before the copy have ended. False if the copy
   * was removed.
   */
  swap(range: PieceRange): Promise<boolean>;
  /** Drops pieces that a copy replaced. */
  dropReplaced(): Promise<void>;
}

export interface SearchPieceStoreOptions {
  /** Under the maintenance role. */
  maintenance: Database;
  /** The same role: two connections, with a statement timeout long enough for building. */
  building: Database;
}

export function createSearchPieceStore({ maintenance, building }: SearchPieceStoreOptions): SearchPieceStore {
  async function readLastSeq(): Promise<number> {
    const { rows } = await maintenance.query<{ last: string | null }>({
      name: "search_last_seq",
      text: "select pg_sequence_last_value('ingest.search_docs_seq_seq') as last",
    });
    return Number(rows[0]?.last ?? 0);
  }

  return {
    readLastSeq,
    async makeAhead() {
      const lastSeq = await readLastSeq();
      const { rows } = await maintenance.query<{ end_seq: string }>({
        name: "search_pieces_end",
        text: "select coalesce(max(end_seq), 0) as end_seq from ingest.search_pieces()",
      });
      const current = Math.floor(lastSeq / pieceRows) * pieceRows;
      let made = 0;
      for (
        let first = Math.max(current, Number(rows[0]?.end_seq));
        first <= current + piecesAhead * pieceRows;
        first += pieceRows
      ) {
        // One lock each, so that a statement never waits for more than one.
        const { rows: outcome } = await maintenance.query<{ made: boolean }>({
          name: "search_piece_make",
          text: "select ingest.make_search_piece($1) as made",
          values: [first],
        });
        if (outcome[0]?.made) made += 1;
      }
      return made;
    },
    async indexOne(fullTo) {
      const { rows } = await maintenance.query<{ piece: string }>({
        name: "search_pieces_unindexed",
        text: `
          select piece
          from ingest.search_pieces()
          where not is_indexed and end_seq <= $1
          order by first_seq
          limit 1`,
        values: [fullTo],
      });
      const [found] = rows;
      if (found === undefined) return false;
      await asBuilder(building, (transaction) =>
        transaction.query({
          name: "search_piece_index",
          text: "select ingest.index_search_piece($1)",
          values: [found.piece],
        }),
      );
      return true;
    },

    async findNeighbours() {
      const { rows } = await maintenance.query<{ first: number; size: number }>({
        name: "search_pieces_indexed",
        text: `
          select first_seq::float8 as first, (end_seq - first_seq)::float8 as size
          from ingest.search_pieces()
          where is_indexed`,
      });
      for (const size of mergedSizes) {
        const firsts = rows.filter((piece) => piece.size === size).map(({ first }) => first);
        const merged = size * mergedPieces;
        for (const [first, pieces] of Map.groupBy(firsts, (from) => Math.floor(from / merged) * merged)) {
          if (pieces.length === mergedPieces) return { first, beyond: first + merged };
        }
      }
      return null;
    },

    async announceCopy(range) {
      await maintenance.query({
        name: "search_copy_announce",
        text: "select ingest.announce_search_copy($1, $2)",
        values: [range.first, range.beyond],
      });
      // A moment after the announcement was committed.
      const { rows } = await maintenance.query<{ next_xid: string }>({
        name: "search_next_xid",
        text: "select pg_snapshot_xmax(pg_current_snapshot()) as next_xid",
      });
      return rows[0]?.next_xid ?? "0";
    },

    async hasSettled(xid) {
      const { rows } = await maintenance.query<{ settled: boolean }>({
        name: "search_has_settled",
        text: "select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as settled",
        values: [xid],
      });
      return rows[0]?.settled === true;
    },

    copy: (range) =>
      asBuilder(building, (transaction) =>
        transaction.query({
          name: "search_pieces_copy",
          text: "select ingest.copy_search_pieces($1, $2)",
          values: [range.first, range.beyond],
        }),
      ),

    async swap(range) {
      const { rows } = await maintenance.query<{ swapped: boolean }>({
        name: "search_pieces_swap",
        text: "select ingest.swap_search_pieces($1, $2) as swapped",
        values: [range.first, range.beyond],
      });
      return rows[0]?.swapped === true;
    },

    async dropReplaced() {
      await maintenance.query({ name: "search_pieces_drop_replaced", text: "select ingest.drop_detached_pieces()" });
    },
  };
}
