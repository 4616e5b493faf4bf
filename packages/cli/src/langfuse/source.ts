import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../surroundings.ts";

/** A project of a running Langfuse, read through its API. */
export interface LangfuseSource {
  /** Its address, without a path. */
  readonly url: string;
  /** The JSON text of an answer of `/api/public`. Null: 404. Waits for its turn, and until the source can answer. */
  find(path: string, query?: Query): Promise<string | null>;
  /** The same; 404 is a Failure. */
  get(path: string, query?: Query): Promise<string>;
  /**
   * Downloads from an address that the API answered, again after failures that pass. Null: it is not there, or larger.
   */
  download(url: string, bytesMax: number): Promise<Buffer<ArrayBuffer> | null>;
}

export type Query = Readonly<Record<string, string | number | null | undefined>>;

export interface SourceOptions {
  url: string;
  publicKey: string;
  secretKey: string;
  requestsPerMinute: number;
  signal: AbortSignal;
  note(text: string): void;
  /** The first pause after a failure; the next ones double. Default: one second. */
  firstPauseMs?: number;
}

const deadlineMs = 120_000;
const answerBytesMax = 256 * 1024 * 1024;
/** Failures in a row, and answers 429 in a row, after which the source counts as unavailable. */
const failuresMax = 8;
/** The same before the first answer: then the address is probably wrong. */
const firstFailuresMax = 2;
const refusalsMax = 30;
const pauseMaxMs = 60_000;
const retryAfterMaxMs = 15 * 60_000;

/** Asks one request at a time, the next one no sooner than the rate allows. */
export function createSource(options: SourceOptions): LangfuseSource {
  const { signal, note, requestsPerMinute, firstPauseMs = 1_000 } = options;
  const url = options.url.replace(/\/+$/, "").replace(/\/api\/public$/, "");
  const authorization = `Basic ${Buffer.from(`${options.publicKey}:${options.secretKey}`).toString("base64")}`;
  const turn = createTurns(60_000 / requestsPerMinute, signal);
  let hasAnswered = false;

  async function find(path: string, query: Query = {}): Promise<string | null> {
    const stated = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== null && value !== undefined) stated.set(name, String(value));
    const search = stated.toString();
    const address = `${url}/api/public${path}${search === "" ? "" : `?${search}`}`;
    const { status, content, said } = await settle(`${url}${path}`, async () => {
      await turn();
      return ask(address, { authorization, accept: "application/json" }, readJson);
    });
    if (status === 200) return content;
    if (status === 404) return null;
    if (status === 401 || status === 403) {
      throw new Failure(`Langfuse refuses the keys (${status}). Check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY.`);
    }
    throw new Failure(said);
  }

  /** Asks again until an answer is no passing failure. `place` names what is asked. */
  async function settle<Content>(place: string, askOnce: () => Promise<Answer<Content>>) {
    let failures = 0;
    let refusals = 0;
    for (;;) {
      const { status, content, retryAfterMs, problem } = await askOnce();
      hasAnswered ||= status !== null;
      const quoted = typeof content === "string" ? `: ${content.slice(0, 200)}` : "";
      const said = `${place} ${problem ?? `was answered ${status}${quoted}`}`;
      if (status !== null && status < 500 && status !== 429 && status !== 408) return { status, content, said };
      if (status === 429) refusals += 1;
      else failures += 1;
      if (failures > (hasAnswered ? failuresMax : firstFailuresMax) || refusals > refusalsMax) {
        throw new Failure(`${said}. Run the same command again to go on.`);
      }
      const ownMs = Math.min(pauseMaxMs, firstPauseMs * 2 ** (failures + refusals - 1));
      const pauseMs = Math.min(retryAfterMaxMs, retryAfterMs ?? ownMs);
      note(`${said}. Asking again in ${(pauseMs / 1_000).toFixed(1)} s.`);
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async function ask<Content>(
    address: string,
    headers: Record<string, string>,
    read: (response: Response) => Promise<Content>,
  ): Promise<Answer<Content>> {
    try {
      const response = await fetch(address, {
        headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
      });
      const content = await read(response);
      return { status: response.status, content, retryAfterMs: readRetryAfter(response.headers.get("retry-after")) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Failure) throw error;
      return { status: null, content: null, retryAfterMs: null, problem: `did not answer: ${reasonOf(error)}` };
    }
  }

  return {
    url,
    find,
    async get(path, query) {
      const text = await find(path, query);
      if (text === null) throw new Failure(`Langfuse does not know ${path} (404).`);
      return text;
    },
    async download(address, bytesMax) {
      // What follows the path may be a signature.
      const place = address.replace(/\?.*$/, "");
      const { content } = await settle(place, () => ask(address, {}, (response) => readContent(response, bytesMax)));
      return content;
    },
  };
}

interface Answer<Content> {
  /** Null: there was none. */
  status: number | null;
  content: Content | null;
  retryAfterMs: number | null;
  problem?: string;
}

/** Each call resolves at least the interval after the one before it. */
function createTurns(intervalMs: number, signal: AbortSignal): () => Promise<void> {
  let nextMs = 0;
  return async () => {
    const nowMs = performance.now();
    const startMs = Math.max(nowMs, nextMs);
    nextMs = startMs + intervalMs;
    if (startMs > nowMs) {
      await sleep(startMs - nowMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    signal.throwIfAborted();
  };
}

async function readJson(response: Response): Promise<string> {
  const body = await readBody(response, answerBytesMax);
  if (body === null) throw new Failure(`The answer of ${response.url} is too large: state a smaller --page-size.`);
  const text = body.toString("utf8");
  if (response.status === 200) JSON.parse(text);
  return text;
}

/** Null: it is larger, or not there. */
async function readContent(response: Response, bytesMax: number): Promise<Buffer<ArrayBuffer> | null> {
  if (response.ok) return readBody(response, bytesMax);
  await response.body?.cancel();
  return null;
}

/** Null: it is larger. */
async function readBody(response: Response, bytesMax: number): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Seconds, or a date. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

function reasonOf(error: unknown): string {
  const { cause, message, name } = error as {
    cause?: { code?: string; message?: string };
    message?: string;
    name?: string;
  };
  if (name === "TimeoutError") return `nothing for ${deadlineMs / 1_000} s`;
  return cause?.code ?? cause?.message ?? message ?? String(error);
}
