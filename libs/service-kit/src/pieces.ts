import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { cutWhenSlow, cutWhenStalled, streamStallMs } from "./pass-stream.ts";

/**
 * A body whose pieces are all in memory. They are sent without copying: cached pieces are shared by many answers, and
 * for pages of a megabyte copies would be most of the memory that a read leaves behind.
 */
export class Pieces {
  readonly all: readonly Buffer[];
  readonly bytes: number;

  constructor(all: readonly Buffer[]) {
    this.all = all;
    this.bytes = all.reduce((bytes, piece) => bytes + piece.length, 0);
  }

  join(): Buffer {
    const [only] = this.all;
    return this.all.length === 1 && only !== undefined ? only : Buffer.concat(this.all, this.bytes);
  }
}

/** Sends pieces as an answer. A reader that reads nothing, or next to nothing, for `stallMs` is cut. */
export function passPieces(
  response: ServerResponse,
  pieces: Pieces,
  answer: { status: number; headers: OutgoingHttpHeaders; stallMs?: number },
): void {
  const stallMs = answer.stallMs ?? streamStallMs;
  cutWhenStalled(response, stallMs);
  cutWhenSlow(response, stallMs);
  response.writeHead(answer.status, { ...answer.headers, "content-length": pieces.bytes });
  // One write to the socket: it is corked until this turn of the event loop ends.
  for (const piece of pieces.all) response.write(piece);
  response.end();
}
