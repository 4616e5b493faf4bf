/**
 * Runs a task for every item, `atOnce` of them at a time. Returns the results in the order of the items; rejects at the first
 * failure.
 */
export async function someAtOnce<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  async function work(): Promise<void> {
    while (next < items.length) {
      const index = next++;
      results[index] = await act(items[index] as Item, index);
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
