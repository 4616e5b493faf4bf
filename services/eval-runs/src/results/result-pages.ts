/** The order in which a run's results are read; ids sort by creation. */
export const inOrder = "question_index nulls last, run_number nulls last, is_variant, id";

/** A page has at most so many rows. */
export const pageRows = 250;
/** A page of large rows ends earlier, since it is held as long as its reader takes. One row always goes. */
export const pageBytesMax = 4 * 1024 * 1024;

/**
 * A select of the results that `asked`, a select of ids and places, names: in the order of their places, until there are
 * enough bytes of them. Its first parameter is the project. Each document is unpacked once.
 */
export function selectPage(asked: string): string {
  return `
    with page as materialized (
      select place, results.id, question_index, is_variant, status, rating, document::text
      from (${asked}) asked
      join evals.results
        on results.project_id = $1
        and results.id = asked.id
    ), sized as (
      select *, sum(octet_length(document)) over (order by place) - octet_length(document) as bytes_before
      from page
    )
    select id, question_index, is_variant, status, rating, document
    from sized
    where bytes_before < ${pageBytesMax}
    order by place`;
}
