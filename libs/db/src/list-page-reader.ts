/** Columns whose sizes are stored: the column with the size in bytes, null where it is not known, and what it measures. */
export type StoredSizes = Readonly<Record<string, readonly string[]>>;

/**
 * A select of as much of a list as may be held (readListPage of service-kit). `rows` selects the rows after the last one,
 * in `order`, with a limit. It passes the columns whose sizes count on as stored (compressed), because they are only
 * decompressed to be measured: `large`, and those of `stored`, whose sizes it passes on, too. `columns` decompress them for the
 * returned rows. `bytesMax` is the parameter with the number of bytes. Each row has its own size as `bytes`, and as `nextBytes`
 * what the next of the selected rows has at least, null if it is the last of them.
 */
export function selectPart(part: {
  rows: string;
  large?: readonly string[];
  stored?: StoredSizes;
  order: string;
  columns: string;
  bytesMax: string;
}): string {
  const { rows, large = [], stored = {}, order, columns, bytesMax } = part;
  const before = (size: string): string => `sum(${size}) over (order by ${order} rows unbounded preceding) - ${size}`;
  const sum = (of: (column: string) => string): string =>
    [
      ...Object.entries(stored).map(([bytes, measures]) => `coalesce(${bytes}, ${measures.map(of).join(" + ")})`),
      ...large.map(of),
    ].join(" + ");
  // What a value takes where it is stored, its header apart, is never more than its text: behind so many bytes no row fits,
  // and none is unpacked.
  return `
    select ${columns}, bytes, next_bytes as "nextBytes"
    from (
      select *, ${before("bytes")} as bytes_before
      from (
        select *, ${sum(measured)} as bytes
        from (
          select *,
            ${before("least_bytes")} as least_bytes_before,
            lead(least_bytes) over (order by ${order} rows unbounded preceding) as next_bytes
          from (
            select *, ${sum(packed)} as least_bytes
            from (${rows}) listed
          ) packed
        ) bounded
        where least_bytes_before < ${bytesMax}
        offset 0
      ) measured
    ) sized
    where bytes_before < ${bytesMax}
    order by ${order}`;
}

/**
 * The bytes of columns of a table in SQL, where its column `stored` has them. Rows that earlier versions wrote do not: their texts
 * are measured, which unpacks them.
 */
export function storedSize(table: string, stored: string, columns: readonly string[]): string {
  return `coalesce(${table}.${stored}, ${columns.map((column) => measured(`${table}.${column}`)).join(" + ")})`;
}

const measured = (column: string): string => `coalesce(octet_length(${column}::text), 0)`;
const packed = (column: string): string => `coalesce(pg_column_size(${column}) - 4, 0)`;
