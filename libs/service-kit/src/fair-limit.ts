/** The group of a task, and the signal that ends its wait. */
export interface PlaceRequest {
  group: string;
  signal: AbortSignal;
  /** It is refused when so many tasks of its group wait; default `waitingPerGroupMax`. */
  waitingMax?: number;
}

/** Without a signal a task waits as long as it takes. */
type WaitingTask = Pick<PlaceRequest, "group"> & Partial<PlaceRequest>;

/** A limit on concurrent tasks; waiting tasks are served group by group in turn. */
export interface FairLimit {
  /**
   * Runs the task once a slot is free. Rejects with the signal's reason when it aborts before that, and with {@link
   * TooManyWaitingError} at once when the queue is full.
   */
  run<Result>(request: WaitingTask, task: () => Promise<Result>): Promise<Result>;
  /** Takes a place as `run` does, and resolves to the function that frees it. */
  take(request: WaitingTask): Promise<() => void>;
  /** Changes the number of slots. Running tasks are not affected: a smaller number takes effect as tasks end. */
  resize(places: number): void;
  running(): number;
  waiting(): number;
}

/** The queue of a {@link FairLimit} is full. */
export class TooManyWaitingError extends Error {
  override readonly name = "TooManyWaitingError";
}

export interface FairLimitOptions {
  places: number;
  /**
   * The number of tasks that may wait; default 4096: the bus admits far fewer requests, so it only bounds memory in
   * case of a bug.
   */
  waitingMax?: number;
  /** The slots that one group may use at a time; all of them by default. */
  placesPerGroupMax?: number;
  /** The number of tasks of one group that may wait; default `waitingMax`. */
  waitingPerGroupMax?: number;
}

/**
 * A project that sends a thousand results must not block one that sends a single one: free slots rotate over the
 * groups, and within a group go to the task that waited longest.
 */
export function createFairLimit(options: FairLimitOptions): FairLimit {
  const { waitingMax = 4096, placesPerGroupMax = Number.POSITIVE_INFINITY } = options;
  const { waitingPerGroupMax = waitingMax } = options;
  // A Map keeps insertion order: the first eligible group is served next, and then moves to the end.
  const queues = new Map<string, (() => void)[]>();
  const runningOf = new Map<string, number>();
  let { places } = options;
  let running = 0;
  let waiting = 0;

  const mayRun = (group: string): boolean => running < places && (runningOf.get(group) ?? 0) < placesPerGroupMax;

  function begin(group: string): void {
    running += 1;
    runningOf.set(group, (runningOf.get(group) ?? 0) + 1);
  }

  function end(group: string): void {
    running -= 1;
    const left = (runningOf.get(group) ?? 0) - 1;
    if (left > 0) runningOf.set(group, left);
    else runningOf.delete(group);
    admitWaiting();
  }

  function findNext(): [group: string, queue: (() => void)[]] | null {
    for (const next of queues) if (mayRun(next[0])) return next;
    return null;
  }

  function admitWaiting(): void {
    for (let next = findNext(); next !== null; next = findNext()) {
      const [group, queue] = next;
      queues.delete(group);
      const start = queue.shift();
      if (queue.length > 0) queues.set(group, queue);
      waiting -= 1;
      begin(group);
      start?.();
    }
  }

  function waitForPlace({ group, signal, waitingMax: ofGroupMax = waitingPerGroupMax }: WaitingTask): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal?.reason);
    const before = queues.get(group);
    // If a slot is free while tasks wait, then none of their groups may use it.
    if (before === undefined && mayRun(group)) {
      begin(group);
      return Promise.resolve();
    }
    const inQueue = before?.length ?? 0;
    if (waiting >= waitingMax || inQueue >= ofGroupMax) {
      return Promise.reject(new TooManyWaitingError(`${waiting} tasks are waiting already`));
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        const queue = queues.get(group);
        const place = queue?.indexOf(start) ?? -1;
        if (!queue || place < 0) return;
        queue.splice(place, 1);
        if (queue.length === 0) queues.delete(group);
        waiting -= 1;
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      if (before) before.push(start);
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
        end(request.group);
      }
    },
    async take(request) {
      await waitForPlace(request);
      let isFreed = false;
      return () => {
        if (!isFreed) end(request.group);
        isFreed = true;
      };
    },
    resize(newPlaces) {
      places = newPlaces;
      admitWaiting();
    },
    running: () => running,
    waiting: () => waiting,
  };
}
