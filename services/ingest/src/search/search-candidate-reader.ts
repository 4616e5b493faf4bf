import type { Statement } from "@touchstone/db";
import { readList } from "./postings.ts";
import { searchTerm } from "./search-pattern.ts";
import { bucketsOf, projectBucket } from "./text-buckets.ts";

/** The numbers of the texts that may contain a term, of all texts of a project. */
export interface SearchCandidates {
  /** Numbers of texts below `beyond`, ascending in each block. Null: too many to be worth naming, so `beyond` is 0. */
  numbers: readonly number[] | null;
  /** Every text from this number on has to be read. */
  beyond: number;
}

/** Postings of one bucket in one block. All null in the one row of a search that finds none. */
export interface PostingsRecord {
  beyond: string;
  first: number | null;
  postings: Buffer | null;
}

/** Reading more texts one by one takes longer than reading all of them in their order. */
const candidatesMax = 100_000;
/** The shortest lists of a block say nearly as much as all of them. */
const listsMax = 4;

const all: SearchCandidates = { numbers: null, beyond: 0 };

/**
 * Selects the postings of the texts that may match a pattern, for {@link toCandidates}. Null where no postings help: then
 * every text is a candidate.
 */
export function buildCandidatesRead(projectId: string, pattern: string): Statement | null {
  const buckets = bucketsOf(searchTerm(pattern));
  if (buckets.length === 0) return null;
  const wanted = [...new Set([...buckets, projectBucket(projectId)])];
  const text = `
    select ends.beyond, found.first, found.postings
    from (select coalesce(max(end_seq), 0) as beyond from ingest.search_blocks) ends
    left join (
      select lists.first_seq::float8 as first, lists.postings
      from (
        select of_block.first_seq, of_block.postings,
          count(*) over (partition by of_block.first_seq) as lists,
          row_number() over (partition by of_block.first_seq order by octet_length(of_block.postings)) as place
        from ingest.search_blocks blocks
        cross join lateral (
          select *
          from ingest.search_postings
          where first_seq = blocks.first_seq and bucket = any($1)
          offset 0
        ) of_block
      ) lists
      where lists.lists = $2 and lists.place <= ${listsMax}
    ) found on true
    order by found.first`;
  return { name: "search_candidates", text, values: [wanted, wanted.length] };
}

/** The texts that are in every list of their block. */
export function toCandidates(rows: readonly PostingsRecord[] | null): SearchCandidates {
  if (rows === null) return all;
  const numbers: number[] = [];
  for (const [first, lists] of Map.groupBy(rows, (row) => row.first)) {
    if (first === null) continue;
    let places: number[] | null = null;
    for (const { postings } of lists) {
      if (postings === null) continue;
      const listed = readList(postings);
      places = places === null ? listed : placesInBoth(places, listed);
    }
    for (const place of places ?? []) numbers.push(first + place);
    if (numbers.length > candidatesMax) return all;
  }
  return { numbers, beyond: Number(rows[0]?.beyond ?? 0) };
}

/** Both ascending. */
function placesInBoth(one: readonly number[], other: readonly number[]): number[] {
  const both: number[] = [];
  let at = 0;
  for (const place of one) {
    while (at < other.length && (other[at] as number) < place) at += 1;
    if (other[at] === place) both.push(place);
  }
  return both;
}
