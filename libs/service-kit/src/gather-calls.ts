import { setImmediate as endOfTurn } from "node:timers/promises";

export interface GatherOptions<Item> {
  /** Items of different keys are worked on apart, and do not wait for each other. All have one key when left out. */
  keyOf?: (item: Item) => string;
  /** How many items one call of `work` gets; without a bound when left out. */
  itemsMax?: number;
}

/**
 * Makes one call of many: items that come in one turn of the event loop are worked on together, and so are those that come
 * while earlier ones are worked on, first come first served. A commit on a slow disk then costs once for all that wait
 * for it, and an item that comes alone waits for nobody.
 *
 * `work` answers for each item, in their order; when it throws, the items of that call fail with what it threw, and the
 * next are worked on all the same. What waits is bounded by how many items the caller has in hand.
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
