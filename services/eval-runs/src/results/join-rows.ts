/** The elements of a JSON array, one for each row of the pages, with commas between them. `render` answers JSON text. */
export async function* joinRows<Row>(
  pages: AsyncIterable<readonly Row[]>,
  render: (row: Row) => string,
): AsyncGenerator<string> {
  let separator = "";
  for await (const page of pages) {
    for (const row of page) {
      yield `${separator}${render(row)}`;
      separator = ",";
    }
  }
}
