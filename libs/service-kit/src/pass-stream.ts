import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Readable } from "node:stream";

/** How long a reader may read nothing, or a stream produce nothing, before the connection is cut. */
export const streamStallMs = 60_000;

export interface PassedStream {
  /** Whether these are server-sent events, which may end at any point. */
  isEvents: boolean;
  /** Ends the answer at this point, as if the stream had ended. */
  end(): void;
  /** Breaks the connection, so that the client can see that the answer is incomplete. */
  destroy(): void;
}

/**
 * Sends a stream as an answer: the head at once, each chunk as it arrives and no faster than the client reads. A stream
 * that fails breaks the connection; a client that disconnects ends the stream. A connection without progress for
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
  // A stream that failed before it could be sent emits no further event.
  if (body.destroyed) destroy();
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

/** The minimum that a reader of a large answer must read within the stall time. */
const slowestBytes = 512 * 1024;

/**
 * Cuts a connection whose reader reads a large answer too slowly: each such answer occupies memory that others need.
 * Only time spent waiting for the reader counts.
 */
export function cutWhenSlow(response: ServerResponse, stallMs: number): void {
  const { socket } = response;
  if (socket === null) return;
  let taken = socket.bytesWritten - socket.writableLength;
  const timer = setInterval(() => {
    const nowTaken = socket.bytesWritten - socket.writableLength;
    const isWaitedFor = response.writableLength > 0 || socket.writableLength > 0;
    if (isWaitedFor && nowTaken - taken < slowestBytes) response.destroy();
    taken = nowTaken;
  }, stallMs);
  response.once("close", () => clearInterval(timer));
}

/**
 * Cuts a connection without progress while its answer is sent. Bytes that the client reads from a full buffer count as
 * progress, however slow.
 */
export function cutWhenStalled(response: ServerResponse, stallMs: number): void {
  const { socket } = response;
  if (socket === null) return;
  response.setTimeout(stallMs, () => response.destroy());
  // Before the server sets its keep-alive time: the next request of the connection has its own time limits again.
  response.prependOnceListener("finish", () => socket.setTimeout(0));
}
