import { Agent, type Dispatcher } from "undici";
import type { Outcome } from "./ledger.ts";

/** An answer that arrived whole. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/** A client of one project. Like a load balancer, it knows the addresses of all gateways. */
export interface HttpClient {
  /** Null: the connection was refused or broke, or there was no answer before the deadline. */
  send(method: string, route: string, body?: Buffer | string, headers?: Record<string, string>): Promise<Answer | null>;
  /**
   * Repeats a read until it answers 200, for at most a minute, and returns its JSON. Null: the object does not exist
   * (404).
   */
  read<Json>(route: string): Promise<Json | null>;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  /** Origins of the gateways. After a refused connection the next one is tried, since nothing was sent. */
  urls: readonly string[];
  apiKey: string;
  /** The longest wait for an answer, above every deadline of the gateway. */
  deadlineMs?: number;
  /**
   * Receives one line for every request for which `send` returns null: the request, its destination, the error and the
   * time.
   */
  onBroken?: (reason: string) => void;
}

/**
 * Every write has a new connection: a stopping server may close a kept connection just as a request is written, and
 * that loss would look like one the server caused. Reads are repeated, so theirs are kept.
 */
export function createHttpClient({ urls, apiKey, deadlineMs = 45_000, onBroken }: HttpClientOptions): HttpClient {
  const writing = new Agent({ pipelining: 0, connections: 256, connect: { timeout: 5_000 } });
  const reading = new Agent({ connections: 16, connect: { timeout: 5_000 } });
  let turn = 0;

  async function attempt(origin: string, request: Omit<Dispatcher.RequestOptions, "origin">): Promise<Answer> {
    const { statusCode, headers, body } = await (request.method === "GET" ? reading : writing).request({
      ...request,
      origin,
      signal: AbortSignal.timeout(deadlineMs),
    });
    return { status: statusCode, headers, text: await body.text() };
  }

  const send: HttpClient["send"] = async (method, route, body, headers = {}) => {
    const first = turn;
    turn += 1;
    for (let tried = 0; tried < urls.length; tried += 1) {
      const origin = urls[(first + tried) % urls.length] as string;
      const startedMs = performance.now();
      try {
        return await attempt(origin, {
          method: method as "GET",
          path: `/api/v1${route}`,
          headers: { "x-api-key": apiKey, "content-type": "application/json", ...headers },
          body: body ?? null,
        });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") continue;
        const { code, name, message } = error as NodeJS.ErrnoException;
        const afterMs = Math.round(performance.now() - startedMs);
        onBroken?.(`${method} ${route} at ${origin}: ${code ?? name} (${message}) after ${afterMs} ms`);
        return null;
      }
    }
    onBroken?.(`${method} ${route}: no gateway takes connections`);
    return null;
  };

  return {
    send,
    async read(route) {
      const deadline = Date.now() + 60_000;
      for (;;) {
        const answer = await send("GET", route);
        if (answer?.status === 200) return JSON.parse(answer.text);
        if (answer?.status === 404) return null;
        const isFinal = answer !== null && answer.status < 500 && answer.status !== 429;
        if (isFinal || Date.now() > deadline)
          throw new Error(`GET ${route}: ${answer?.status ?? "no answer"} ${answer?.text}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    close: async () => {
      await Promise.all([writing.destroy(), reading.destroy()]);
    },
  };
}

/** What a writer learns from an answer. Only the REST answer contains the row id. */
export function readOutcome(answer: Answer | null): Outcome {
  if (answer === null) return { kind: "broken" };
  if (answer.status === 201) {
    return { kind: "acked", traceId: (JSON.parse(answer.text) as { trace_id: string }).trace_id };
  }
  // A full success has no body; anything else describes rejected spans.
  if (answer.status === 200 && ["", "{}"].includes(answer.text)) return { kind: "acked", traceId: null };
  if (answer.status === 429 || answer.status === 503) return { kind: "refused", status: answer.status };
  return { kind: "unexpected", status: answer.status, body: answer.text.slice(0, 500) };
}
