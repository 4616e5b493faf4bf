import type { FastifyReply } from "fastify";

/**
 * Aborts when the client is gone before it has its answer. It listens to the answer, not to the socket: that one lives for
 * thousands of requests and would keep a listener of each.
 */
export function signalGone({ raw }: FastifyReply): AbortSignal {
  const abort = new AbortController();
  const onClose = (): void => {
    if (!raw.writableFinished) abort.abort();
  };
  if (raw.closed) onClose();
  else raw.once("close", onClose);
  return abort.signal;
}

/** What is counted where the caller left before its answer, which therefore has no status; nginx counts these so, too. */
export const goneStatus = 499;

/** Whether a handler stopped because nobody waits any more: what it threw is the reason of its own signal. */
export function gaveUp(call: { signal: AbortSignal } | undefined, thrown: unknown): boolean {
  if (!call?.signal.aborted) return false;
  const { reason } = call.signal;
  return thrown === reason || (thrown instanceof Error && thrown.cause === reason);
}
