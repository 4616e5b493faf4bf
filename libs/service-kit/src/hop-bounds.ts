/** What ends a request to another service: its deadline, or a caller that has disconnected. */
export interface HopBounds {
  /** Aborts at the deadline, or when the caller has disconnected. */
  signal: AbortSignal;
  /** Rejects when the signal aborts first. */
  race<Result>(attempt: Promise<Result>): Promise<Result>;
  /** A piece of a body that can be read once was read: the deadline restarts, and the request cannot be repeated. */
  wrote(): void;
  hasWritten(): boolean;
  endDeadline(): void;
  /** Removes the deadline and the caller's signal. */
  release: () => void;
}

/**
 * The race is needed besides the signal: a request that waits for a free connection has nothing to abort, and undici
 * would let it wait.
 */
export function boundHop({ deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal }): HopBounds {
  let abort: AbortController | null = null;
  let ended: { reason: unknown } | null = null;
  let hasWritten = false;
  let giveUp = (_reason: unknown): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  aborted.catch(() => {});
  const end = (reason: unknown): void => {
    ended ??= { reason };
    abort?.abort(reason);
    giveUp(reason);
  };
  const onGone = (): void => end(signal?.reason);
  // The error is created when it is needed: its stack trace would cost every request.
  const timer = setTimeout(() => end(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
  if (signal?.aborted) onGone();
  else signal?.addEventListener("abort", onGone, { once: true });
  return {
    get signal() {
      // Expensive, and needed only for requests that are sent.
      if (abort === null) {
        abort = new AbortController();
        if (ended !== null) abort.abort(ended.reason);
      }
      return abort.signal;
    },
    race(attempt) {
      attempt.catch(() => {});
      return Promise.race([attempt, aborted]);
    },
    wrote() {
      hasWritten = true;
      timer.refresh();
    },
    hasWritten: () => hasWritten,
    endDeadline: () => clearTimeout(timer),
    release() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onGone);
    },
  };
}
