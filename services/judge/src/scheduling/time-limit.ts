/** A signal that aborts with its parent or when the time is up, whichever comes first. */
export interface TimeLimit {
  signal: AbortSignal;
  /** Whether the time ran out (and not the parent). */
  hasExpired(): boolean;
  /** Ends the limit; the signal then never aborts. Must be called, or the timer stays. */
  clear(): void;
}

/**
 * Limits the time of one piece of work. `AbortSignal.any` with `AbortSignal.timeout` would do the same and keep its
 * timer until it fires, which at hundreds of calls a second and a minute each is a lot to keep.
 */
export function limitTime(parent: AbortSignal, ms: number): TimeLimit {
  const own = new AbortController();
  let expired = false;
  const abortWithParent = (): void => own.abort(parent.reason);
  const timer = setTimeout(() => {
    expired = true;
    own.abort(new Error("the time is up"));
  }, ms);
  if (parent.aborted) abortWithParent();
  else parent.addEventListener("abort", abortWithParent, { once: true });
  return {
    signal: own.signal,
    hasExpired: () => expired,
    clear() {
      clearTimeout(timer);
      parent.removeEventListener("abort", abortWithParent);
    },
  };
}
