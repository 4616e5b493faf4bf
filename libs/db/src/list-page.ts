/**
 * A select of as much of a list as may be held (readListPage of service-kit). `rows` is a select of the rows after the last
 * one, in `order`, that ends with a limit. It measures a row as `bytes`, an integer, and passes what is large on as it is
 * stored; `columns` unpack that, for the rows that are answered. `bytesMax` is the parameter that says how many bytes.
 */
export function selectPart(part: { rows: string; order: string; columns: string; bytesMax: string }): string {
  const { rows, order, columns, bytesMax } = part;
  return `
    select ${columns}, bytes
    from (
      select *, sum(bytes) over (order by ${order} rows unbounded preceding) - bytes as bytes_before
      from (${rows}) listed
    ) sized
    where bytes_before < ${bytesMax}
    order by ${order}`;
}
