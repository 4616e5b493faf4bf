import type { Database, Queryable, Statement } from "@touchstone/db";
import { blockNumbersMax, type Postings } from "./postings.ts";
import { asBuilder } from "./search-builder-store.ts";

/** So many numbers after the newest have a piece of the table. */
export const numbersAhead = 32_768;
/** A block ends with the text that exceeds this: what has no postings yet must be quick to read. */
export const blockBytesMax = 8 * 1024 * 1024;
/** Texts read at a time. */
const sliceTexts = 128;

/** Texts of consecutive numbers, from `first` to before `beyond`. */
export interface Block {
  first: number;
  beyond: number;
}

/** A searched text. */
export interface SearchedText {
  number: number;
  projectId: string;
  text: string;
}

/** The newest numbers, if they do not fill a block yet. */
export interface OpenBlock {
  texts: number;
  bytes: number;
}

/** The searched texts (ingest.search_docs) and their postings, under the maintenance role. */
export interface SearchBlockStore {
  /** Creates missing pieces of the table for the newest number and those ahead. Returns the first number that has none. */
  makePieces(): Promise<number>;
  /** The number of the newest text. */
  readLastNumber(): Promise<number>;
  /** The transactions that may still store a text under a number taken before this call. */
  readWriters(): Promise<string[]>;
  /** Whether any of these transactions is still running. */
  areWriting(writers: readonly string[]): Promise<boolean>;
  /** The next block of numbers below `settled`, or what there is of it. Texts must not appear below `settled` any more. */
  findBlock(settled: number): Promise<{ block: Block } | { open: OpenBlock }>;
  /** The texts of a block by ascending number. */
  readTexts(block: Block): AsyncGenerator<SearchedText[]>;
  /**
   * Stores the postings of a block: from here on its texts are found by them. Does nothing if another replica, which held the
   * lease too for a moment, has stored some of the block.
   */
  storePostings(block: Block, postings: Postings): Promise<void>;
  /** Drops trigram indexes of earlier versions on texts that have postings now. */
  dropTrigramIndexes(): Promise<void>;
}

export interface SearchBlockStoreOptions {
  /** Under the maintenance role. */
  maintenance: Database;
  /** The same role: two connections, with a statement timeout long enough for storing a block. */
  building: Database;
}

export function createSearchBlockStore({ maintenance, building }: SearchBlockStoreOptions): SearchBlockStore {
  async function readLastNumber(): Promise<number> {
    const { rows } = await maintenance.query<{ last: string | null }>({
      name: "search_last_seq",
      text: "select pg_sequence_last_value('ingest.search_docs_seq_seq') as last",
    });
    return Number(rows[0]?.last ?? 0);
  }

  return {
    readLastNumber,

    async makePieces() {
      const lastNumber = await readLastNumber();
      let beyond = lastNumber;
      // One lock each, so that a statement never waits for more than one.
      while (beyond <= lastNumber + numbersAhead) {
        const { rows } = await maintenance.query<{ beyond: string }>({
          name: "search_piece_make",
          text: "select ingest.make_search_piece_for($1) as beyond",
          values: [beyond],
        });
        beyond = Number(rows[0]?.beyond ?? Number.POSITIVE_INFINITY);
      }
      return beyond;
    },

    async readWriters() {
      const { rows } = await maintenance.query<{ writers: string[] }>(selectWriters);
      return rows[0]?.writers ?? [];
    },

    async areWriting(writers) {
      if (writers.length === 0) return false;
      const { rows } = await maintenance.query<{ writing: boolean }>({
        name: "search_are_writing",
        text: "select exists (select from pg_locks where virtualtransaction = any($1)) as writing",
        values: [writers],
      });
      return rows[0]?.writing === true;
    },

    async findBlock(settled) {
      const { rows } = await maintenance.query<BlockRow>(selectNextBlock(settled));
      const [found] = rows;
      if (found === undefined || found.first === null) return { open: { texts: 0, bytes: 0 } };
      const { first, beyond, texts, bytes } = found;
      return beyond === null ? { open: { texts, bytes } } : { block: { first, beyond } };
    },

    async *readTexts({ first, beyond }) {
      for (let from = first; from < beyond; ) {
        const { rows } = await building.query<TextRow>(selectTexts({ first: from, beyond }));
        yield rows.map((row) => ({ number: row.number, projectId: row.project_id, text: row.doc }));
        from = rows.length < sliceTexts ? beyond : (rows.at(-1)?.number ?? beyond) + 1;
      }
    },

    storePostings: (block, postings) =>
      asBuilder(building, (transaction) => storePostings(transaction, block, postings)),

    async dropTrigramIndexes() {
      await maintenance.query({
        name: "search_trigrams_drop",
        text: "select ingest.drop_search_trigrams()",
      });
    },
  };
}

const selectWriters: Statement = {
  name: "search_writers",
  text: `
    select coalesce(array_agg(virtualtransaction), '{}') as writers
    from pg_locks
    where relation = 'ingest.search_docs'::regclass
      and database = (select oid from pg_database where datname = current_database())
      and mode = 'RowExclusiveLock'`,
};

interface BlockRow extends OpenBlock {
  first: number | null;
  beyond: number | null;
}

/** One row. `first` is null without a text; `beyond` is null while the texts do not fill a block. */
const selectNextBlock = (settled: number): Statement => ({
  name: "search_block_find",
  text: `
    with first as (
      select docs.seq
      from ingest.search_docs docs
      where docs.seq >= (select coalesce(max(end_seq), 0) from ingest.search_blocks) and docs.seq < $1
      order by docs.seq
      limit 1
    ),
    texts as (
      select docs.seq, sum(octet_length(docs.doc)) over (order by docs.seq) as bytes
      from ingest.search_docs docs
      where docs.seq >= (select seq from first) and docs.seq < least((select seq from first) + $2, $1)
    )
    select (select seq from first)::float8 as first,
      coalesce(
        min(seq) filter (where bytes >= $3) + 1,
        (select seq from first where seq + $2 <= $1) + $2
      )::float8 as beyond,
      count(*)::float8 as texts, coalesce(max(bytes), 0)::float8 as bytes
    from texts`,
  values: [settled, blockNumbersMax, blockBytesMax],
});

interface TextRow {
  number: number;
  project_id: string;
  doc: string;
}

const selectTexts = ({ first, beyond }: Block): Statement => ({
  name: "search_block_texts",
  text: `
    select seq::float8 as number, project_id, doc
    from ingest.search_docs
    where seq >= $1 and seq < $2
    order by seq
    limit $3`,
  values: [first, beyond, sliceTexts],
});

async function storePostings(transaction: Queryable, block: Block, postings: Postings): Promise<void> {
  await transaction.query({
    name: "search_blocks_lock",
    text: "select pg_advisory_xact_lock(hashtext('touchstone ingest search blocks'))",
  });
  const { rowCount } = await transaction.query(buildBlockInsert(block));
  if (rowCount === 0) return;
  await transaction.query(buildPostingsInsert(block, postings));
}

/** Inserts no row if the block, or a later one, is stored. */
const buildBlockInsert = ({ first, beyond }: Block): Statement => ({
  name: "search_block_store",
  text: `
    insert into ingest.search_blocks (first_seq, end_seq)
    select $1, $2
    where not exists (select from ingest.search_blocks where end_seq > $1)`,
  values: [first, beyond],
});

const buildPostingsInsert = ({ first }: Block, { buckets, starts, lengths, bytes }: Postings): Statement => ({
  name: "search_postings_store",
  text: `
    insert into ingest.search_postings (first_seq, bucket, postings)
    select $1, bucket, substring($5::bytea from start + 1 for length)
    from unnest($2::integer[], $3::integer[], $4::integer[]) as list (bucket, start, length)`,
  values: [first, Array.from(buckets), Array.from(starts), Array.from(lengths), bytes],
});
