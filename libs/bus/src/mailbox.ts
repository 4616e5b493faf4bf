/** A queue with one reader, who waits only so long. */
export interface Mailbox<Item> {
  put(item: Item): void;
  /** The oldest item; null when none came within the time. Rejects once the mailbox has failed. */
  next(withinMs: number): Promise<Item | null>;
  /** Makes the waiting and every later `next` reject with `reason`. */
  fail(reason: unknown): void;
}

export function createMailbox<Item>(): Mailbox<Item> {
  const items: Item[] = [];
  let failure: { reason: unknown } | null = null;
  let wake: (() => void) | null = null;

  return {
    put(item) {
      items.push(item);
      wake?.();
    },
    async next(withinMs) {
      if (items.length === 0 && !failure) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, withinMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = null;
      }
      if (failure) throw failure.reason;
      return items.shift() ?? null;
    },
    fail(reason) {
      failure ??= { reason };
      wake?.();
    },
  };
}
