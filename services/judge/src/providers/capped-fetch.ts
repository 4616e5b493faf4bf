import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { request } from "undici";

/** The provider's answer is longer than {@link replyMaxBytes}. */
export class ReplyTooLargeError extends Error {
  override readonly name = "ReplyTooLargeError";
}

/** The provider's answer broke off, or is not encoded as declared. */
export class BrokenReplyError extends Error {
  override readonly name = "BrokenReplyError";
}

/** The longest answer that is read, after decompression. */
const replyMaxBytes = 1024 * 1024;

/** The client library adds a dozen headers about this machine, and any that its own environment variables name. */
const headersSent = ["accept", "authorization", "content-type", "user-agent"];

/** None is requested; some servers compress all the same. */
const decoders: Readonly<Record<string, (encoded: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** The headers of an answer that the client library and this service read. */
const headersRead = ["content-type", "content-length", "retry-after", "retry-after-ms"];

/** Statuses without a body. */
const withoutBody = [204, 205, 304];

const utf8 = new TextDecoder();

/** A `Response` whose body is complete: as a stream, which the platform would create, it costs five times as much. */
class WholeResponse extends Response {
  readonly #content: Buffer;

  constructor(content: Buffer, init: { status: number; headers: Record<string, string> }) {
    super(null, init);
    this.#content = content;
  }

  override readonly text = async (): Promise<string> => utf8.decode(this.#content);
  override readonly json = async (): Promise<unknown> => JSON.parse(await this.text());
}

/**
 * The `fetch` for provider calls. It follows no redirect (a provider must not be able to send the key or prompts elsewhere),
 * sends only required headers, and stops reading after {@link replyMaxBytes}, also counted after decompression, so a small
 * answer that inflates to gigabytes is cut off as well. It resolves with the complete answer, at half the cost of the global
 * `fetch`, whose streams are not needed here.
 */
export async function cappedFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { method = "GET", body, signal } = init;
  if (input instanceof Request || (body && typeof body !== "string")) throw new TypeError("only texts are sent");
  const headers = pickHeaders(init.headers);
  const answer = await request(input, {
    method: method as "POST",
    headers,
    body: body || null,
    signal: signal ?? null,
  });
  const content = await readWhole(answer.body, joinValues(answer.headers["content-encoding"]), signal);
  const received: Record<string, string> = {};
  for (const name of headersRead) {
    const value = joinValues(answer.headers[name]);
    if (value !== null) received[name] = value;
  }
  const status = answer.statusCode;
  return new WholeResponse(withoutBody.includes(status) ? Buffer.alloc(0) : content, { status, headers: received });
}

/** Joins repeated headers into one list. */
function joinValues(value: string | string[] | undefined): string | null {
  return value === undefined ? null : [value].flat().join(", ");
}

/** The required headers among those that the client library sets. */
export function pickHeaders(all: RequestInit["headers"]): Record<string, string> {
  const given = all instanceof Headers ? all : new Headers(all);
  const headers: Record<string, string> = {};
  for (const name of headersSent) {
    const value = given.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

async function readWhole(
  body: AsyncIterable<Buffer>,
  encoding: string | null,
  signal: AbortSignal | null | undefined,
): Promise<Buffer<ArrayBuffer>> {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > replyMaxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    const decode = decoders[encoding?.trim().toLowerCase() ?? ""];
    const whole = Buffer.concat(chunks);
    return decode === undefined ? whole : Buffer.from(await decode(whole, { maxOutputLength: replyMaxBytes }));
  } catch (thrown) {
    if (signal?.aborted || thrown instanceof ReplyTooLargeError) throw thrown;
    if ((thrown as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new BrokenReplyError("the answer cannot be read", { cause: thrown });
  }
}

const tooLarge = (): ReplyTooLargeError => new ReplyTooLargeError(`more than ${replyMaxBytes} bytes`);
