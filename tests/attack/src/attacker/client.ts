import { Agent, type Dispatcher } from "undici";
import { untilServed } from "../../../chaos/src/until-served.ts";
import type { Tally } from "./tally.ts";

export interface ReadAnswer {
  status: number;
  /** The beginning of the body; the rest is read and discarded. */
  text: string;
}

export interface ClientRequest {
  method: string;
  /** The path after `/api/v1`. */
  route: string;
  /** Buffers are sent unchanged, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A client with one key. */
export interface Client {
  /** Null: no complete answer arrived, or the attack is over. */
  send(request: ClientRequest): Promise<ReadAnswer | null>;
  post(route: string, body: unknown, headers?: Record<string, string>): Promise<ReadAnswer | null>;
  get(route: string): Promise<ReadAnswer | null>;
  /** Requires a success and returns the id in the answer. For requests that an attack depends on. */
  make(route: string, body: unknown): Promise<string>;
}

/** How much of an answer is kept. */
const keptBytes = 64 * 1024;
const deadlineMs = 60_000;
const addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4"] as const;

/**
 * Creates clients with other source addresses than the probe and the account owner use, so that the installation can
 * tell them apart.
 */
export function createClientFactory(options: { url: string; tally: Tally; over: AbortSignal }) {
  const { url, tally, over } = options;
  const agents = addresses.map((localAddress) => new Agent({ connections: 512, localAddress }));
  let turn = 0;

  function clientOf(apiKey: string): Client {
    async function send({ method, route, body, headers = {} }: ClientRequest): Promise<ReadAnswer | null> {
      const isRaw = Buffer.isBuffer(body);
      turn += 1;
      try {
        const answer = await (agents[turn % agents.length] as Agent).request({
          origin: url,
          path: `/api/v1${route}`,
          method: method as Dispatcher.HttpMethod,
          headers: {
            ...(apiKey !== "" && { "x-api-key": apiKey }),
            ...(body !== undefined && { "content-type": "application/json" }),
            ...headers,
          },
          body: body === undefined ? null : isRaw ? body : JSON.stringify(body),
          signal: AbortSignal.any([over, AbortSignal.timeout(deadlineMs)]),
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        const text = await readBeginning(answer.body);
        tally.count(answer.statusCode);
        return { status: answer.statusCode, text };
      } catch {
        if (!over.aborted) tally.count("broken");
        return null;
      }
    }

    return {
      send,
      post: (route, body, headers = {}) => send({ method: "POST", route, body, headers }),
      get: (route) => send({ method: "GET", route }),
      async make(route, body) {
        const answer = await untilServed(async () => {
          const received = await send({ method: "POST", route, body });
          if (received === null) throw new Error(`POST ${route} was not answered.`);
          return received;
        });
        if (answer.status >= 300) throw new Error(`POST ${route} was answered ${answer.status}: ${answer.text}`);
        return idIn(answer);
      },
    };
  }

  return clientOf;
}

/** The id of the created object. It is at the beginning of the answer, which may be too long to keep whole. */
export function idIn(answer: ReadAnswer | null): string {
  return /"(?:_id|runId|trace_id)":"([^"]+)"/.exec(answer?.text ?? "")?.[1] ?? "none";
}

async function readBeginning(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes < keptBytes) kept.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(kept).toString("utf8", 0, keptBytes);
}
