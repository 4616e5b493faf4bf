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
