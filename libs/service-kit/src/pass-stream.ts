import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Readable } from "node:stream";

/** How long a reader may take nothing, or a stream give nothing, before it is cut. */
export const streamStallMs = 60_000;

export interface PassedStream {
  /** Whether these are server-sent events, which may end at any point. */
  isEvents: boolean;
  /** Ends the answer where it stands, as if the stream had ended. */
  end(): void;
  /** Breaks the connection, so that what arrived is seen to be incomplete. */
  destroy(): void;
}

/**
 * Sends a stream as an answer: the head at once, each chunk as it comes and no faster than the client reads. A stream
 * that fails breaks the connection; a client that is gone ends the stream. A connection on which nothing moves for
 * `stallMs` is cut.
 */
export function passStream(
  response: ServerResponse,
  body: Readable,
  answer: { status: number; headers: OutgoingHttpHeaders; stallMs?: number },
): PassedStream {
  const isEvents = String(answer.headers["content-type"] ?? "").startsWith("text/event-stream");
  let isOver = false;
  const destroy = (): void => {
    response.destroy();
  };
  body.on("error", destroy);
  body.once("close", () => {
    if (!body.readableEnded && !isOver) destroy();
  });
  response.once("close", () => body.destroy());
  cutWhenStalled(response, answer.stallMs ?? streamStallMs);
  response.writeHead(answer.status, answer.headers);
  response.flushHeaders();
  body.pipe(response);
  return {
    isEvents,
    end() {
      isOver = true;
      body.unpipe(response);
      response.end();
    },
    destroy,
  };
}

/**
 * Cuts a connection on which nothing moves while its answer is sent. Bytes that the client takes out of a full buffer
 * count as movement, however slowly it does.
 */
export function cutWhenStalled(response: ServerResponse, stallMs: number): void {
  const { socket } = response;
  if (socket === null) return;
  response.setTimeout(stallMs, () => response.destroy());
  // Before the server sets its keep-alive time: the next request of the connection may take its own time again.
  response.prependOnceListener("finish", () => socket.setTimeout(0));
}
