import { type Duplex, PassThrough, type Readable, Transform } from "node:stream";
import { constants, createGunzip, createInflate, createZstdDecompress, type ZstdDecompress } from "node:zlib";
import { AppError } from "./app-error.ts";
import { requireKnownEncoding, zstdWindowLogMax } from "./inflate-body.ts";

/**
 * Compressed bytes that are read ahead. A small body can hold much work, and only a socket that is being read reports
 * that its client has disconnected.
 */
const readAheadBytes = 16 * 1024 * 1024;

/**
 * A stream of a body without its `Content-Encoding`: unread data waits on the socket, apart from the first 16 MiB of
 * compressed data. Fails with 400 when the data is invalid or incomplete, and with 413 past `maxBytes`; throws 415 for
 * an unknown encoding.
 */
export function inflateStream(body: Readable, contentEncoding: string | undefined, maxBytes: number): Readable {
  const encoding = requireKnownEncoding(contentEncoding);
  const ahead = new PassThrough(encoding === "identity" ? {} : { writableHighWaterMark: readAheadBytes });
  const inflater = createInflater(encoding);
  const bounded = boundBytes(maxBytes);
  // Not `pipeline`, which destroys the request when the reader leaves: the refusal still has to be sent on its socket.
  body.once("error", (cause) => bounded.destroy(brokenOff(cause)));
  body.once("aborted", () => bounded.destroy(brokenOff(undefined)));
  inflater.once("error", (cause) => {
    bounded.destroy(new AppError("body_unreadable", `The request body is not valid ${encoding} data.`, { cause }));
  });
  let sentBytes = 0;
  ahead.on("data", (chunk: Buffer) => {
    sentBytes += chunk.length;
  });
  // Node ignores what follows the end of the first zstd frame in a chunk. Before `pipe`, which ends the result.
  inflater.once("end", () => {
    if (encoding !== "zstd" || (inflater as ZstdDecompress).bytesWritten === sentBytes) return;
    bounded.destroy(new AppError("body_unreadable", "The request body has more than one zstd frame."));
  });
  // It may fail before it is read, and an `error` event without a listener ends the process.
  bounded.on("error", () => undefined);
  bounded.once("close", () => {
    body.unpipe(ahead);
    ahead.destroy();
    inflater.destroy();
  });
  return body.pipe(ahead).pipe(inflater).pipe(bounded);
}

function createInflater(encoding: ReturnType<typeof requireKnownEncoding>): Duplex {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "zstd":
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } });
    default:
      return new PassThrough();
  }
}

function boundBytes(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new AppError("body_too_large", "request entity too large"));
      else done(null, chunk);
    },
  });
}

function brokenOff(cause: unknown): AppError {
  return new AppError("body_unreadable", "The request body broke off.", { cause });
}
