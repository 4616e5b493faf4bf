/**
 * A select of as much of a list as may be held (readListPage of service-kit). `rows` selects the rows after the last one,
 * in `order`, with a limit. It passes `large`, the columns whose sizes count, on as stored (compressed), because they are
 * only decompressed to be measured. `columns` decompress them for the returned rows. `bytesMax` is the parameter with the
 * number of bytes; each row has its own size as `bytes`, and `hasNext` if another of the selected rows follows. `size` is the
 * size of the large columns in SQL, where it is stored beside them.
 */
export function selectPart(part: {
  rows: string;
  large: readonly string[];
  order: string;
  columns: string;
  bytesMax: string;
  size?: string;
}): string {
  const { rows, large, order, columns, bytesMax } = part;
  const packed = large.map((column) => `coalesce(pg_column_size(${column}) - 4, 0)`).join(" + ");
  const before = (size: string): string => `sum(${size}) over (order by ${order} rows unbounded preceding) - ${size}`;
  // What a value takes where it is stored, its header apart, is never more than its text: behind so many packed bytes
  // no row fits, and none is unpacked.
  return `
    select ${columns}, bytes, has_next as "hasNext"
    from (
      select *, ${before("bytes")} as bytes_before
      from (
        select *, ${part.size ?? measured(large)} as bytes
        from (
          select *, ${before("packed_bytes")} as packed_bytes_before
          from (
            select *, ${packed} as packed_bytes,
              lead(true, 1, false) over (order by ${order} rows unbounded preceding) as has_next
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

/**
 * The bytes of large columns in SQL, where a column `stored` has them. Rows that earlier versions wrote do not: their texts are
 * measured, which unpacks them.
 */
export function storedSize(stored: string, large: readonly string[], table?: string): string {
  const prefix = table === undefined ? "" : `${table}.`;
  return `coalesce(${prefix}${stored}, ${measured(large.map((column) => `${prefix}${column}`))})`;
}

function measured(columns: readonly string[]): string {
  return columns.map((column) => `coalesce(octet_length(${column}::text), 0)`).join(" + ");
}
