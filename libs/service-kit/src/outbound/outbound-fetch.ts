import { Agent, errors, fetch as undiciFetch } from "undici";
import { createGuardedLookup } from "./guarded-lookup.ts";
import { OutboundError } from "./outbound-error.ts";
import { type OutboundReach, readOutboundUrl } from "./outbound-url.ts";
import { type ResolveHost, resolveHostFor } from "./resolve-host.ts";

export interface OutboundOptions extends OutboundReach {
  /** The longest call, including the answer's body. Default 10 s. */
  totalMs?: number;
  /** The longest silence of the other side. Default 5 s. */
  idleMs?: number;
  /** The longest answer that is read, in bytes after decompression. Default 1 MiB. */
  answerMaxBytes?: number;
  /** Default: DNS for users' hosts, the system's look-up where private hosts are allowed. */
  resolveHost?: ResolveHost;
}

/** A `fetch` for external servers. */
export interface OutboundFetch {
  /**
   * Calls a URL. Redirects are returned, not followed. The body is streamed and breaks off at the limit. Rejects, and
   * fails the body, with an {@link OutboundError}, or with the signal's reason when that aborts.
   */
  (url: string | URL, init?: RequestInit): Promise<Response>;
  /** Ends its connections, including open calls. */
  close(): Promise<void>;
}

const connectMs = 3_000;
const answerHeadersMaxBytes = 16 * 1024;

/**
 * The only way to call addresses that users or operators configured: webhooks, models, sign-in providers, mail. Each
 * connection goes to a checked address, and never to a proxy of the environment; a certificate has to be valid for the
 * name.
 */
export function createOutboundFetch(options: OutboundOptions): OutboundFetch {
  const { totalMs = 10_000, idleMs = 5_000, answerMaxBytes = 1024 * 1024 } = options;
  const resolveHost = options.resolveHost ?? resolveHostFor(options);
  const agent = new Agent({
    allowH2: false,
    connect: {
      lookup: createGuardedLookup(resolveHost, options),
      timeout: Math.min(connectMs, idleMs),
      autoSelectFamily: true,
      // Regardless of NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
    },
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    maxHeaderSize: answerHeadersMaxBytes,
    // Limits bytes on the wire; inflated bytes are counted below.
    maxResponseSize: answerMaxBytes,
  });

  async function call(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const target = readOutboundUrl(String(url), options);
    const time = AbortSignal.timeout(totalMs);
    const signal = init.signal ? AbortSignal.any([init.signal, time]) : time;
    const explain = (thrown: unknown): unknown => {
      if (init.signal?.aborted) return init.signal.reason;
      return time.aborted ? timedOut() : explainFailure(thrown, answerMaxBytes);
    };
    try {
      const answer = await undiciFetch(target, {
        ...(init as object),
        redirect: "manual",
        dispatcher: agent,
        signal,
      });
      const headers = new Headers([...answer.headers]);
      // They describe the body as it was on the wire.
      headers.delete("content-encoding");
      headers.delete("content-length");
      const body = answer.body === null ? null : capBody(answer.body, { answerMaxBytes, explain });
      return new Response(body, { status: answer.status, statusText: answer.statusText, headers });
    } catch (thrown) {
      throw explain(thrown);
    }
  }

  return Object.assign(call, { close: () => agent.destroy() });
}

/** Passes a body on piece by piece, up to the limit. A reader that stops ends the connection. */
function capBody(
  body: AsyncIterable<Uint8Array>,
  { answerMaxBytes, explain }: { answerMaxBytes: number; explain: (thrown: unknown) => unknown },
): ReadableStream<Uint8Array> {
  async function* read() {
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.byteLength;
        if (bytes > answerMaxBytes) throw tooLarge(answerMaxBytes);
        yield chunk;
      }
    } catch (thrown) {
      throw explain(thrown);
    }
  }
  return ReadableStream.from(read()) as ReadableStream<Uint8Array>;
}

function explainFailure(thrown: unknown, answerMaxBytes: number): OutboundError {
  for (const error of listCauses(thrown)) {
    if (error instanceof OutboundError) return error;
    if (error instanceof errors.ResponseExceededMaxSizeError) return tooLarge(answerMaxBytes);
    if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) return timedOut();
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof errors.HTTPParserError || error instanceof RangeError || code?.startsWith("Z_")) {
      return new OutboundError("answer_unreadable", "The server's answer cannot be read.");
    }
  }
  return new OutboundError("unreachable", "The server cannot be reached.");
}

function listCauses(thrown: unknown): Error[] {
  const causes: Error[] = [];
  for (let error = thrown; error instanceof Error && causes.length < 5; error = error.cause) causes.push(error);
  return causes;
}

function timedOut(): OutboundError {
  return new OutboundError("timeout", "The server did not answer in time.");
}

function tooLarge(answerMaxBytes: number): OutboundError {
  return new OutboundError("answer_too_large", `The server's answer is longer than ${answerMaxBytes} bytes.`);
}
