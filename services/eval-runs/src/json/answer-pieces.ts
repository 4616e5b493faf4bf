import { Readable } from "node:stream";
import type { Answer } from "@touchstone/service-kit";

/** A shorter answer is sent whole: it has a length, and an error can still become an error response. */
const wholeMaxBytes = 1024 * 1024;
/** A chunk is sent at this size, because pieces are often small. */
const chunkBytes = 64 * 1024;

/**
 * A JSON answer in pieces, which are not buffered beyond the reader's pace. An error within the first megabyte is thrown and
 * becomes an ordinary error response; a later one breaks the connection, so that the client can detect an incomplete answer. A
 * reader that disconnects ends the pieces.
 */
export async function answerPieces(pieces: AsyncIterable<string>): Promise<Answer> {
  const chunks = gather(pieces);
  const begun: Buffer[] = [];
  let bytes = 0;
  while (bytes <= wholeMaxBytes) {
    const { value: chunk, done } = await chunks.next();
    if (done) return { status: 200, body: Buffer.concat(begun, bytes) };
    begun.push(chunk);
    bytes += chunk.length;
  }
  const body = Readable.from(goOn(begun, chunks), { objectMode: false, highWaterMark: chunkBytes });
  return { status: 200, body };
}

async function* gather(pieces: AsyncIterable<string>): AsyncGenerator<Buffer, undefined> {
  let parts: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    parts.push(piece);
    length += piece.length;
    if (length < chunkBytes) continue;
    yield Buffer.from(parts.join(""));
    parts = [];
    length = 0;
  }
  if (length > 0) yield Buffer.from(parts.join(""));
  return undefined;
}

async function* goOn(begun: Buffer[], rest: AsyncGenerator<Buffer, undefined>): AsyncGenerator<Buffer> {
  try {
    // Released as they are sent: a slow reader may take minutes for the rest.
    for (let chunk = begun.shift(); chunk !== undefined; chunk = begun.shift()) yield chunk;
    yield* rest;
  } finally {
    // A reader that disconnected before the rest began ends it, too.
    await rest.return(undefined);
  }
}
