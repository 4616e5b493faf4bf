/** A queue with one reader, whose wait is bounded. */
export interface Mailbox<Item> {
  put(item: Item): void;
  /**
   * The oldest item; null when none came within the time. An item that reached this process in time counts, even if the
   * process was too busy to read it. Rejects once the mailbox has failed.
   */
  next(withinMs: number): Promise<Item | null>;
  /** Makes the current and every later `next` reject with `reason`. */
  fail(reason: unknown): void;
}

export function createMailbox<Item>(): Mailbox<Item> {
  const items: Item[] = [];
  let failure: { reason: unknown } | null = null;
  let wake: (() => void) | null = null;

  async function waitForItem(withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      // After a long computation timers fire before sockets are read; the immediate lets the sockets go first.
      // Otherwise a busy requester would consider a live member dead.
      const timer = setTimeout(() => setImmediate(resolve), withinMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wake = null;
  }

  return {
    put(item) {
      items.push(item);
      wake?.();
    },
    async next(withinMs) {
      if (items.length === 0 && !failure) await waitForItem(withinMs);
      if (failure) throw failure.reason;
      return items.shift() ?? null;
    },
    fail(reason) {
      failure ??= { reason };
      wake?.();
    },
  };
}
