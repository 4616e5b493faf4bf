/**
 * A select of as much of a list as may be held (readListPage of service-kit). `rows` selects the rows after the last one,
 * in `order`, with a limit. It passes `large`, the columns whose sizes count, on as stored (compressed), because they are
 * only decompressed to be measured. `columns` decompress them for the returned rows. `bytesMax` is the parameter with the
 * number of bytes; each row has its own size as `bytes`.
 */
export function selectPart(part: {
  rows: string;
  large: readonly string[];
  order: string;
  columns: string;
  bytesMax: string;
}): string {
  const { rows, large, order, columns, bytesMax } = part;
  const sum = (sizeOf: (column: string) => string): string =>
    large.map((column) => `coalesce(${sizeOf(column)}, 0)`).join(" + ");
  const before = (size: string): string => `sum(${size}) over (order by ${order} rows unbounded preceding) - ${size}`;
  // What a value takes where it is stored, its header apart, is never more than its text: behind so many packed bytes
  // no row fits, and none is unpacked.
  return `
    select ${columns}, bytes
    from (
      select *, ${before("bytes")} as bytes_before
      from (
        select *, ${sum((column) => `octet_length(${column}::text)`)} as bytes
        from (
          select *, ${before("packed_bytes")} as packed_bytes_before
          from (
            select *, ${sum((column) => `pg_column_size(${column}) - 4`)} as packed_bytes
            from (${rows}) listed
          ) packed
        ) bounded
        where packed_bytes_before < ${bytesMax}
        offset 0
      ) measured
    ) sized
    where bytes_before < ${bytesMax}
    order by ${order}`;
}
