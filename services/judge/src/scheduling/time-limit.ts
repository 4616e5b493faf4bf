/** A signal that aborts with its parent or when the time is up, whichever comes first. */
export interface TimeLimit {
  signal: AbortSignal;
  /** True if the time ran out (and the parent did not abort). */
  hasExpired(): boolean;
  /** Ends the limit; the signal then never aborts. Must be called, or the timer remains. */
  clear(): void;
}

/**
 * Limits the time of one piece of work. `AbortSignal.any` with `AbortSignal.timeout` would be equivalent, but keep its timer
 * until it fires, which is costly at hundreds of calls a second and a minute each.
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
