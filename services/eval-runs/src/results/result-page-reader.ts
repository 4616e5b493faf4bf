/** The order in which a run's results are read; ids sort by creation. */
export const inOrder = "question_index nulls last, run_number nulls last, is_variant, id";

/** The largest number of rows on a first page, before their size is known. */
export const pageRows = 250;
/** The largest number of rows on a further page. */
const pageRowsMax = 1_000;
/**
 * A page of large rows ends earlier, since it stays in memory until its reader has taken it. It has at least one row.
 */
const pageBytesMax = 4 * 1024 * 1024;

/** Ids sent as the second parameter, with their positions; it returns them in order. */
export const listedIds = `
  (
    select id, place
    from unnest($2::uuid[]) with ordinality as sent (id, place)
    order by place
  ) listed`;

/**
 * A select of as much of a page as may be in memory: the rows of `page`, a select that yields them in `order`, until the sum of
 * `size`, the bytes of each, reaches the limit. `bytes` is the sum up to and including a row. `page` ends with a limit or an
 * offset, so that it is evaluated separately and values are decompressed once; everything is read in one pass, without a sort.
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

/** True if the page that was read is complete: no limit ended it. */
export function isLastPage(rows: readonly { bytes: string }[]): boolean {
  return rows.length < pageRows && Number(rows.at(-1)?.bytes ?? 0) < pageBytesMax;
}

/**
 * The number of rows to request next: as many of this average size as a page may contain, since rows beyond that are
 * decompressed for nothing.
 */
export function countNextRows(rows: readonly { bytes: string }[]): number {
  const bytes = Number(rows.at(-1)?.bytes ?? 0);
  return Math.min(pageRowsMax, Math.ceil((rows.length * pageBytesMax) / Math.max(bytes, 1)));
}

/**
 * The elements of a JSON array, one per row of the pages, with commas between them. `render` returns JSON text, or null to end
 * the array before the row.
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
