/** Who asks for a place, and until when it is willing to wait. */
export interface PlaceRequest {
  group: string;
  signal: AbortSignal;
}

/** At most so many tasks at once; whoever waits is served group by group in turn. */
export interface FairLimit {
  /**
   * Runs the task once a place is free. Rejects with the signal's reason when it aborts before that, and with
   * {@link TooManyWaitingError} at once when the queue is full.
   */
  run<Result>(request: PlaceRequest, task: () => Promise<Result>): Promise<Result>;
  /** Changes the number of places. Running tasks are not touched: fewer places take effect as tasks end. */
  resize(places: number): void;
  running(): number;
  waiting(): number;
}

/** The queue of a {@link FairLimit} is full. */
export class TooManyWaitingError extends Error {
  override readonly name = "TooManyWaitingError";
}

/** Bound of the queue. The bus admits far fewer requests, so this only stops a mistake from eating the memory. */
const waitingMaxDefault = 4096;

/**
 * A project that sends a thousand results must not hold up one that sends a single one: free places go round the
 * groups, and within a group to the longest waiting.
 */
export function createFairLimit(options: { places: number; waitingMax?: number }): FairLimit {
  const waitingMax = options.waitingMax ?? waitingMaxDefault;
  // A Map keeps insertion order: the first group is the next to be served and then goes to the end.
  const queues = new Map<string, (() => void)[]>();
  let places = options.places;
  let running = 0;
  let waiting = 0;

  function admitWaiting(): void {
    while (running < places) {
      const next = queues.entries().next();
      if (next.done) return;
      const [group, queue] = next.value;
      queues.delete(group);
      const start = queue.shift();
      if (queue.length > 0) queues.set(group, queue);
      waiting -= 1;
      running += 1;
      start?.();
    }
  }

  function waitForPlace({ group, signal }: PlaceRequest): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (running < places && waiting === 0) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting >= waitingMax) return Promise.reject(new TooManyWaitingError(`${waiting} tasks are waiting already`));
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        const queue = queues.get(group);
        const place = queue?.indexOf(start) ?? -1;
        if (!queue || place < 0) return;
        queue.splice(place, 1);
        if (queue.length === 0) queues.delete(group);
        waiting -= 1;
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      const queue = queues.get(group);
      if (queue) queue.push(start);
      else queues.set(group, [start]);
      waiting += 1;
    });
  }

  return {
    async run(request, task) {
      await waitForPlace(request);
      try {
        return await task();
      } finally {
        running -= 1;
        admitWaiting();
      }
    },
    resize(newPlaces) {
      places = newPlaces;
      admitWaiting();
    },
    running: () => running,
    waiting: () => waiting,
  };
}
