import { promisify } from "node:util";
import { gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";
import { AppError } from "./app-error.ts";

const inflaters = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  zstd: promisify(zstdDecompress),
} as const;

const inflateRawBody = promisify(inflateRaw);

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
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return body;
  const inflater = inflaters[encoding as keyof typeof inflaters];
  if (inflater === undefined || !Object.hasOwn(inflaters, encoding)) {
    throw new AppError("unsupported_media_type", `unsupported content encoding "${encoding.slice(0, 40)}"`);
  }
  try {
    return await inflater(body, { maxOutputLength: maxBytes });
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
