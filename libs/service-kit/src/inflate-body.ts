import {
  constants,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type Gunzip,
  type ZstdDecompress,
} from "node:zlib";
import { AppError, isAppError } from "./app-error.ts";

/** Largest window of a zstd frame, as a power of two: 8 MiB, which every decoder is expected to support. */
export const zstdWindowLogMax = 23;

const inflaters = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  zstd: ({ chunkSize }: { chunkSize: number }) =>
    createZstdDecompress({ chunkSize, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } }),
} as const;

type MakeRoom = (bytes: number) => Promise<void>;

type Encoding = keyof typeof inflaters | "identity";

/** The encoding in a `Content-Encoding` header, if {@link inflateBody} supports it; any other is 415. */
export function requireKnownEncoding(contentEncoding: string | undefined): Encoding {
  const encoding = contentEncoding?.trim().toLowerCase() || "identity";
  if (encoding === "identity" || Object.hasOwn(inflaters, encoding)) return encoding as Encoding;
  throw new AppError("unsupported_media_type", `unsupported content encoding "${encoding.slice(0, 40)}"`);
}

/**
 * Decodes one `Content-Encoding`: gzip, deflate (with or without the zlib wrapper) or zstd. The output is bounded
 * during decoding: a bomb takes at most `maxBytes` of memory and is answered with 413. Truncated data is 400, another
 * encoding 415 (otlp 1, Content-Encoding; completions 1.2). `makeRoom` is called before each piece is kept; its
 * rejection ends the inflation.
 */
export async function inflateBody(
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
  makeRoom?: MakeRoom,
): Promise<Buffer> {
  const encoding = requireKnownEncoding(contentEncoding);
  if (encoding === "identity") return body;
  try {
    const createInflater = encoding === "deflate" && !isZlib(body) ? createInflateRaw : inflaters[encoding];
    const open = () => createInflater({ chunkSize: chunkBytesFor(body) });
    return await collect(open, body, { maxBytes, makeRoom, hasFrames: encoding === "zstd" });
  } catch (cause) {
    if (isAppError(cause)) throw cause;
    throw new AppError("body_unreadable", `The request body is not valid ${encoding} data.`, { cause });
  }
}

/** Some clients send raw deflate under the name `deflate`. The wrapper is two bytes, a multiple of 31 (RFC 1950). */
function isZlib(body: Buffer): boolean {
  const [method = 0, flags = 0] = body;
  return (method & 0x0f) === 8 && method >> 4 <= 7 && ((method << 8) | flags) % 31 === 0;
}

/** Large bodies are produced in larger pieces: each is a turn of the event loop. */
function chunkBytesFor(body: Buffer): number {
  return Math.min(256 * 1024, Math.max(16 * 1024, body.length));
}

async function collect(
  open: () => Gunzip | ZstdDecompress,
  body: Buffer,
  { maxBytes, makeRoom, hasFrames }: { maxBytes: number; makeRoom: MakeRoom | undefined; hasFrames: boolean },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let rest = body;
  do {
    const inflater = open();
    inflater.end(rest);
    // Leaving the loop ends the inflater.
    for await (const piece of inflater as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new AppError("body_too_large", "request entity too large");
      await makeRoom?.(piece.length);
      pieces.push(piece);
    }
    // Of zstd, Node reads one frame and ignores what follows it.
    rest = rest.subarray(hasFrames ? inflater.bytesWritten : rest.length);
  } while (rest.length > 0);
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, bytes);
}
