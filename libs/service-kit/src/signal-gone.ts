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
