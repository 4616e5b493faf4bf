import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { request } from "undici";

/** The provider's answer is longer than {@link replyMaxBytes}. */
export class ReplyTooLargeError extends Error {
  override readonly name = "ReplyTooLargeError";
}

/** The provider began to answer, and its answer broke off or is not encoded as it says. */
export class BrokenReplyError extends Error {
  override readonly name = "BrokenReplyError";
}

/** Longest answer that is read, after decompression. */
const replyMaxBytes = 1024 * 1024;

/** The client library adds a dozen headers about our machine, and any that its own environment variables name. */
const headersSent = ["accept", "authorization", "content-type", "user-agent"];

/** We ask for none of them; some servers compress all the same. */
const decoders: Readonly<Record<string, (encoded: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** What is read of an answer's headers, by the client library and by us. */
const headersRead = ["content-type", "content-length", "retry-after", "retry-after-ms"];

/** Statuses that have no body, whatever follows them. */
const withoutBody = [204, 205, 304];

const utf8 = new TextDecoder();

/** A `Response` whose body is there already: as a stream, which the platform would make of it, it costs five times as much. */
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
 * The `fetch` that provider calls go through. It follows no redirect (a provider must not be able to send our key or
 * prompts elsewhere), sends only the headers a call needs, and stops reading after {@link replyMaxBytes}, counted
 * after decompression too, so a small answer that inflates to gigabytes is cut off as well. It resolves when the whole
 * answer is there, and costs half of what the global `fetch` does, whose streams nobody here needs.
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

/** A header that was sent several times is one list. */
function joinValues(value: string | string[] | undefined): string | null {
  return value === undefined ? null : [value].flat().join(", ");
}

/** The headers that a call needs, out of those that the client library sets. */
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
