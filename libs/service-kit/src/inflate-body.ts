import { promisify } from "node:util";
import { constants, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";
import { AppError } from "./app-error.ts";

/** Largest window a zstd frame may ask for, as a power of two: 8 MiB, what every decoder is expected to grant. */
export const zstdWindowLogMax = 23;

const inflateGzip = promisify(gunzip);
const inflateZstd = promisify(zstdDecompress);
const inflaters = {
  gzip: inflateGzip,
  "x-gzip": inflateGzip,
  deflate: promisify(inflate),
  zstd: (body: Buffer, bound: { maxOutputLength: number }) =>
    inflateZstd(body, { ...bound, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } }),
} as const;

type Encoding = keyof typeof inflaters | "identity";

const inflateRawBody = promisify(inflateRaw);

/** The encoding a `Content-Encoding` header names, if it is one {@link inflateBody} undoes; any other is 415. */
export function requireKnownEncoding(contentEncoding: string | undefined): Encoding {
  const encoding = contentEncoding?.trim().toLowerCase() || "identity";
  if (encoding === "identity" || Object.hasOwn(inflaters, encoding)) return encoding as Encoding;
  throw new AppError("unsupported_media_type", `unsupported content encoding "${encoding.slice(0, 40)}"`);
}

/**
 * Undoes one `Content-Encoding`: gzip, deflate (with or without the zlib wrapper) or zstd. The output is bounded while
 * it is made: a bomb costs at most `maxBytes` of memory and is answered 413. Truncated data is 400, another encoding
 * 415 (otlp 1, Content-Encoding; completions 1.2).
 */
export async function inflateBody(
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const encoding = requireKnownEncoding(contentEncoding);
  if (encoding === "identity") return body;
  try {
    return await inflaters[encoding](body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (encoding === "deflate" && errorCode(cause) === "Z_DATA_ERROR") return inflateUnwrapped(body, maxBytes);
    throw translate(cause, encoding);
  }
}

/** Some clients send raw deflate under the name `deflate`. */
async function inflateUnwrapped(body: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await inflateRawBody(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    throw translate(cause, "deflate");
  }
}

function translate(cause: unknown, encoding: string): AppError {
  if (errorCode(cause) === "ERR_BUFFER_TOO_LARGE")
    return new AppError("body_too_large", "request entity too large", { cause });
  return new AppError("body_unreadable", `The request body is not valid ${encoding} data.`, { cause });
}

function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : undefined;
}
