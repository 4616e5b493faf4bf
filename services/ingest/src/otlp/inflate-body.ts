import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import { AppError } from "@touchstone/service-kit";

/** Largest window a zstd frame may ask for, as a power of two: 8 MiB, what every decoder is expected to grant. */
const zstdWindowLogMax = 23;
const chunkSize = 64 * 1024;

/**
 * Reads a body and undoes its `Content-Encoding`: identity, gzip, deflate with or without the zlib wrapper, or zstd
 * (otlp 1). Both the bytes on the wire and the bytes that come out are counted while they flow, and reading stops with
 * the first one past the limit: a bomb costs the limit and not its inflated size. Throws AppError `body_too_large`
 * (413), `body_unreadable` (400: not that encoding, or cut off) or `unsupported_media_type` (415, naming the
 * encoding). A stream that is not read to its end is left open, so that the answer can still be sent.
 */
export async function inflateBody(
  body: Readable | Buffer,
  contentEncoding: string | undefined,
  limitBytes: number,
): Promise<Buffer> {
  const encoding = contentEncoding?.trim().toLowerCase() || "identity";
  if (!isKnown(encoding)) {
    throw new AppError("unsupported_media_type", `Unsupported content encoding "${encoding.slice(0, 40)}".`);
  }
  const wire = countBytes(chunksOf(body), limitBytes);
  if (encoding === "identity") return collect(wire, limitBytes);

  const source = wire[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) throw new AppError("body_unreadable", `The request body is empty; ${encoding} data is expected.`);
  const inflater = createInflater(encoding, first.value);
  try {
    return await pipeline(Readable.from(startingWith(first.value, source)), inflater, (inflated) =>
      collect(inflated, limitBytes),
    );
  } catch (cause) {
    if (!isInflationFault(cause)) throw cause;
    throw new AppError("body_unreadable", `The request body is not valid ${encoding} data.`, { cause });
  }
}

const encodings = ["identity", "gzip", "x-gzip", "deflate", "zstd"] as const;
type Encoding = (typeof encodings)[number];

function isKnown(encoding: string): encoding is Encoding {
  return (encodings as readonly string[]).includes(encoding);
}

function createInflater(encoding: Exclude<Encoding, "identity">, head: Buffer): Transform {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip({ chunkSize });
    case "deflate":
      return hasZlibHeader(head) ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize });
    case "zstd":
      return zlib.createZstdDecompress({
        chunkSize,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLogMax },
      });
  }
}

/** Some clients send raw deflate under the name `deflate`. A zlib header names method 8 and is a multiple of 31. */
function hasZlibHeader(head: Buffer): boolean {
  if (head.length < 2) return true;
  return ((head[0] as number) & 0x0f) === 8 && head.readUInt16BE(0) % 31 === 0;
}

/** Leaving the loop early must not destroy a request: its socket still has to carry the answer. */
function chunksOf(body: Readable | Buffer): AsyncIterable<Buffer> | Iterable<Buffer> {
  if (Buffer.isBuffer(body)) return body.length === 0 ? [] : [body];
  return { [Symbol.asyncIterator]: () => body.iterator({ destroyOnReturn: false }) };
}

async function* countBytes(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > limitBytes) throw tooLarge(limitBytes);
    yield chunk;
  }
}

async function* startingWith(
  first: Buffer,
  rest: AsyncIterator<Buffer, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield first;
    for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}

async function collect(chunks: AsyncIterable<Buffer>, limitBytes: number): Promise<Buffer> {
  const kept: Buffer[] = [];
  for await (const chunk of countBytes(chunks, limitBytes)) kept.push(chunk);
  return kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept);
}

function tooLarge(limitBytes: number): AppError {
  return new AppError("body_too_large", `The request body is larger than ${limitBytes} bytes.`);
}

/** What zlib and zstd throw about data they cannot read; anything else, such as a client that hung up, is not theirs. */
function isInflationFault(thrown: unknown): boolean {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  return code.startsWith("Z_") || code.startsWith("ZSTD_") || code === "ERR_ZSTD_INVALID_PARAM";
}
