/** Groups neighbours up to `bytesMax`; a larger item is a group by itself. */
export function* splitByBytes<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  bytesMax: number,
): Generator<Item[], void, undefined> {
  let group: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const more = bytesOf(item);
    if (group.length > 0 && bytes + more > bytesMax) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(item);
    bytes += more;
  }
  if (group.length > 0) yield group;
}
