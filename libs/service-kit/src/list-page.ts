import { limits } from "@touchstone/contracts";

/** A row of a list with its size in an answer, and what the next row has at least; null when none is known to follow. */
export type SizedRow = { bytes: number; nextBytes?: number | null };

/** How much of a list is read at a time: rows, and bytes, which the last row may exceed. */
export interface PartBounds {
  rowsMax: number;
  bytesMax: number;
}

/** A page of a list. */
export interface ListPage<Row> {
  rows: Row[];
  /** More rows follow. */
  hasNextPage: boolean;
  /** They follow because this page would have had too many bytes, not too many rows. */
  isCut: boolean;
}

export interface ListPageOptions {
  rowsMax: number;
  /** Of all rows; the first one is on the page whatever its size. Default `limits.listBytesMax`. */
  bytesMax?: number;
  /** Rows of the first part, if it is known how many fit. */
  firstRows?: number;
  /** Waits until there is memory for an answer of this many bytes; see {@link Call.makeRoom}. Small pages need none. */
  makeRoom?: (bytes: number) => Promise<void>;
}

/** Rows of a part. Large values are decompressed to be measured, even if they are not answered then. */
const firstPartRows = 50;
const partRowsMax = 1_000;
/** Bytes of the parts that are read before a page is known to be large. */
const firstPartBytes = 256 * 1024;

/**
 * Reads a page of a list in parts and ends it when it has enough bytes, so that memory does not depend on the size of
 * rows. `readPart` returns the rows after `last`, null = the first, in the order of the list (selectPart of libs/db).
 */
export async function readListPage<Row extends SizedRow>(
  readPart: (last: Row | null, bounds: PartBounds) => Promise<readonly Row[]>,
  { rowsMax, bytesMax = limits.listBytesMax, firstRows = firstPartRows, makeRoom }: ListPageOptions,
): Promise<ListPage<Row>> {
  const rows: Row[] = [];
  let bytes = 0;
  let isLarge = false;
  for (;;) {
    const partBytesMax = Math.max(1, Math.min(isLarge ? bytesMax : firstPartBytes, bytesMax - bytes));
    const fitting = rows.length === 0 ? firstRows : Math.ceil((partBytesMax * rows.length) / Math.max(1, bytes));
    const bounds: PartBounds = {
      // One more than the page: it shows that another follows.
      rowsMax: Math.min(fitting, partRowsMax, rowsMax + 1 - rows.length),
      bytesMax: partBytesMax,
    };
    const part = await readPart(rows.at(-1) ?? null, bounds);
    let partBytes = 0;
    for (const row of part) {
      if (rows.length === rowsMax) return { rows, hasNextPage: true, isCut: false };
      if (rows.length > 0 && bytes + row.bytes > bytesMax) return { rows, hasNextPage: true, isCut: true };
      rows.push(row);
      bytes += row.bytes;
      partBytes += row.bytes;
    }
    // A next row that is known to have no place is not read.
    const next = rows.at(-1)?.nextBytes ?? null;
    if (next !== null && (rows.length === rowsMax || bytes + next > bytesMax)) {
      return { rows, hasNextPage: true, isCut: rows.length < rowsMax };
    }
    // It ended neither for its rows nor for its bytes.
    if (part.length < bounds.rowsMax && partBytes < bounds.bytesMax) return { rows, hasNextPage: false, isCut: false };
    if (partBytes >= bounds.bytesMax && !isLarge) {
      isLarge = true;
      await makeRoom?.(bytesMax);
    }
  }
}

/** The same page, cut after `count` rows when these took more bytes than expected. */
export function firstOf<Row>(page: ListPage<Row>, count: number): ListPage<Row> {
  return count >= page.rows.length ? page : { rows: page.rows.slice(0, count), hasNextPage: true, isCut: true };
}

/** The members of a list's answer that mark the end of its page; `cursorOf` names the row to continue after. */
export function endOfPage<Row>(
  { rows, hasNextPage, isCut }: ListPage<Row>,
  cursorOf: (row: Row) => string,
): { hasNextPage: boolean; nextCursor: string | null; truncatedBy?: "bytes" } {
  const last = rows.at(-1);
  return {
    hasNextPage,
    nextCursor: hasNextPage && last !== undefined ? cursorOf(last) : null,
    ...(isCut && { truncatedBy: "bytes" }),
  };
}

/** The same for a list that is complete unless it is large: empty then. */
export function endOfList<Row>(
  page: ListPage<Row>,
  cursorOf: (row: Row) => string,
): { hasNextPage?: true; nextCursor?: string; truncatedBy?: "bytes" } {
  const last = page.rows.at(-1);
  if (!page.hasNextPage || last === undefined) return {};
  return { hasNextPage: true, nextCursor: cursorOf(last), ...(page.isCut && { truncatedBy: "bytes" }) };
}

/** The same as the end of an answer's text, after its list. */
export function endText<Row>(page: ListPage<Row>, cursorOf: (row: Row) => string): string {
  const members = JSON.stringify(endOfList(page, cursorOf)).slice(1);
  return members === "}" ? members : `,${members}`;
}
