import { setImmediate as endOfTurn } from "node:timers/promises";

export interface GatherOptions<Item> {
  /**
   * Items with different keys are processed separately, and do not wait for each other. By default all have one key.
   */
  keyOf?: (item: Item) => string;
  /** The maximum number of items for one call of `work`; default unlimited. */
  itemsMax?: number;
}

/**
 * Combines calls: items that arrive in one turn of the event loop are processed together, and so are those that arrive
 * while earlier ones are processed, in order of arrival. A commit on a slow disk is then made once for all that wait
 * for it, and a single item does not wait for others.
 *
 * `work` returns a result for each item, in order; when it throws, the items of that call fail with its error, and the
 * next are processed as usual. The number of waiting items is bounded by the caller's concurrency.
 */
export function gatherCalls<Item, Answer>(
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { keyOf = () => "", itemsMax = Number.POSITIVE_INFINITY }: GatherOptions<Item> = {},
): (item: Item) => Promise<Answer> {
  const waiting = new Map<string, Waiting<Item, Answer>[]>();

  async function workOff(key: string, calls: Waiting<Item, Answer>[]): Promise<void> {
    await endOfTurn();
    while (calls.length > 0) {
      const together = calls.splice(0, itemsMax);
      try {
        const answers = await work(together.map(({ item }) => item));
        for (const [index, { resolve }] of together.entries()) resolve(answers[index] as Answer);
      } catch (thrown) {
        for (const { reject } of together) reject(thrown);
      }
    }
    waiting.delete(key);
  }

  return (item) => {
    const key = keyOf(item);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const calls = waiting.get(key);
    if (calls !== undefined) {
      calls.push({ item, resolve, reject });
    } else {
      const first = [{ item, resolve, reject }];
      waiting.set(key, first);
      void workOff(key, first);
    }
    return promise;
  };
}

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}
