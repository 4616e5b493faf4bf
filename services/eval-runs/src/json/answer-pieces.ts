import { Readable } from "node:stream";
import type { Answer } from "@touchstone/service-kit";

/** What is not longer is answered whole: it has a length then, and what fails is still a refusal. */
const wholeMaxBytes = 1024 * 1024;
/** A chunk goes out when it has so much: a piece is often small. */
const chunkBytes = 64 * 1024;

/**
 * An answer of JSON that comes in pieces, none of them held longer than its reader takes. What fails within the first
 * megabyte is thrown and becomes an ordinary refusal; what fails later breaks the connection, so that what arrived is
 * seen to be incomplete. A reader that goes away ends the pieces.
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
    // Let go of as they leave: a slow reader may take minutes over the rest.
    for (let chunk = begun.shift(); chunk !== undefined; chunk = begun.shift()) yield chunk;
    yield* rest;
  } finally {
    // A reader that went before the rest was begun ends it, too.
    await rest.return(undefined);
  }
}
