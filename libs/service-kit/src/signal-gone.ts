import type { FastifyReply } from "fastify";

/**
 * Aborts when the client disconnects before it has its answer. It listens to the answer, not to the socket: a socket
 * lives for thousands of requests and would keep a listener of each.
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

/** The status in metrics when the caller disconnected before its answer; nginx uses the same one. */
export const goneStatus = 499;

/** Whether a handler stopped because its caller has disconnected: it threw its own signal's reason. */
export function gaveUp(call: { signal: AbortSignal } | undefined, thrown: unknown): boolean {
  if (!call?.signal.aborted) return false;
  const { reason } = call.signal;
  return thrown === reason || (thrown instanceof Error && thrown.cause === reason);
}
