/** The order in which a run's results are read; ids sort by creation. */
export const inOrder = "question_index nulls last, run_number nulls last, is_variant, id";

/** A first page has at most so many rows, of which nobody knows how large they are. */
export const pageRows = 250;
/** A further page has at most so many. */
const pageRowsMax = 1_000;
/** A page of large rows ends earlier, since it is held as long as its reader takes. One row always goes. */
const pageBytesMax = 4 * 1024 * 1024;

/** Ids sent as the second parameter, with their places; it comes in their order. */
export const listedIds = `
  (
    select id, place
    from unnest($2::uuid[]) with ordinality as sent (id, place)
    order by place
  ) listed`;

/**
 * A select of as much of a page as may be held: the rows of `page`, a select that yields them in `order`, until `size`,
 * bytes of each, has summed up. `bytes` is that sum up to and with a row. `page` ends with a limit or an offset, so that it is
 * evaluated by itself and what it unpacks is unpacked once; all is read in one pass then, and nothing is sorted.
 */
export function selectPage({ page, order, size }: { page: string; order: string; size: string }): string {
  return `
    select *
    from (
      select *, sum(${size}) over (order by ${order} rows unbounded preceding) as bytes
      from (${page}) page
    ) sized
    where bytes - (${size}) < ${pageBytesMax}
    order by ${order}`;
}

/** Whether a page that was read so is all there is: it ended for no limit. */
export function isLastPage(rows: readonly { bytes: string }[]): boolean {
  return rows.length < pageRows && Number(rows.at(-1)?.bytes ?? 0) < pageBytesMax;
}

/** How many rows to ask for after these: as many of their size as a page may hold, since what is not held is unpacked in vain. */
export function countNextRows(rows: readonly { bytes: string }[]): number {
  const bytes = Number(rows.at(-1)?.bytes ?? 0);
  return Math.min(pageRowsMax, Math.ceil((rows.length * pageBytesMax) / Math.max(bytes, 1)));
}

/**
 * The elements of a JSON array, one for each row of the pages, with commas between them. `render` answers JSON text, or null
 * to end the array before the row.
 */
export async function* joinRows<Row>(
  pages: AsyncIterable<readonly Row[]>,
  render: (row: Row) => string | null,
): AsyncGenerator<string> {
  let separator = "";
  for await (const page of pages) {
    for (const row of page) {
      const text = render(row);
      if (text === null) return;
      yield `${separator}${text}`;
      separator = ",";
    }
  }
}
