/**
 * Runs a task for every item, `atOnce` of them at a time. Returns the results in the order of the items. After a
 * failure it begins no other task, and rejects when those under way have ended.
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
      try {
        results[index] = await act(items[index] as Item, index);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, work));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return results;
}
