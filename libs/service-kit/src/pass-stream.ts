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
  // One that failed before it could be passed on tells nobody any more.
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

/** What a reader of a large answer takes within the time it may stand still, at the least. */
const slowestBytes = 512 * 1024;

/**
 * Cuts a connection whose reader takes a large answer in drops: each keeps the answer in memory, and room from others. Only
 * time counts in which the reader is waited for.
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
