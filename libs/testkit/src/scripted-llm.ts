import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** The endpoints of an OpenAI-compatible provider; `other` is any path it does not have. */
export type LlmApi = "responses" | "chat" | "embeddings" | "other";

/** One request as the provider saw it. The key is never kept, only whether there was one and which of the known. */
export interface RecordedLlmRequest {
  api: LlmApi;
  method: string;
  path: string;
  /** Lower-case names, without `authorization` and `x-api-key`. */
  headers: Readonly<Record<string, string>>;
  /** The bearer token as its SHA-256 in hex; null when none was sent. */
  keyHash: string | null;
  /** The parsed JSON body, or its text when it is not JSON. */
  body: unknown;
  model: string | null;
  /** What the operator says: `instructions`, or the system messages. Empty for embeddings. */
  instructions: string;
  /** What the task says: `input`, or the other messages. Empty for embeddings. */
  prompt: string;
}

/** What the scripted provider does with one request. `delayMs` passes before anything is sent. */
export type LlmReply = { delayMs?: number } & (
  | {
      /** A well-formed answer of the API asked, holding this verdict as JSON. `rating` may be anything. */
      kind: "verdict";
      rating: unknown;
      justification?: unknown;
      /** Further members of the verdict. */
      extra?: Record<string, unknown>;
    }
  | {
      /** A well-formed answer of the API asked, holding this text. */
      kind: "text";
      text: string;
    }
  | {
      /** An answer with this status; `body` as JSON, default an error object in OpenAI's form. */
      kind: "status";
      status: number;
      body?: unknown;
      code?: string;
      param?: string;
      message?: string;
      /** `Retry-After`, as seconds or as an HTTP date. */
      retryAfter?: number | string;
      headers?: Record<string, string>;
    }
  | {
      /** Exactly these bytes, whatever they are. */
      kind: "raw";
      body: string | Uint8Array;
      status?: number;
      contentType?: string;
      headers?: Record<string, string>;
    }
  | {
      /** The status line and half a body, then nothing more. */
      kind: "stall";
      status?: number;
    }
  | {
      /** A well-formed verdict, one piece at a time and never quite finished. */
      kind: "drip";
      everyMs: number;
    }
  | {
      /** The request is taken and never answered. */
      kind: "silence";
    }
  | {
      /** The connection is reset: before any byte, or in the middle of the body. */
      kind: "reset";
      afterHeaders?: boolean;
    }
);

/** Decides on a reply when the queue is empty. */
export type LlmScript = (request: RecordedLlmRequest) => LlmReply | Promise<LlmReply>;

export interface ScriptedLlm {
  /** Base URL to configure, ending in `/v1`. */
  baseUrl: string;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly RecordedLlmRequest[];
  /** Replies for the next requests, in order; when they are used up, the script answers. Embeddings never take one. */
  enqueue(...replies: LlmReply[]): void;
  /** What answers when nothing is queued: a script, or one reply for all. At first a verdict rated 7. */
  answerWith(script: LlmScript | LlmReply): void;
  /** The same for embeddings; null gives deterministic vectors, which is how it starts. */
  embedWith(script: LlmScript | LlmReply | null): void;
  /** Requests being answered at this moment, and the most there ever were at once. */
  inFlight(): number;
  inFlightMax(): number;
  /** Forgets queue, requests and scripts. */
  reset(): void;
  /** Closes every connection. */
  stop(): Promise<void>;
}

const sevenOutOfTen: LlmReply = { kind: "verdict", rating: 7, justification: "Mostly right." };

/**
 * A provider with a script, over real HTTP on loopback: OpenAI's Responses API, Chat Completions and embeddings. It is
 * as wrong as it is told to be: wrong statuses, malformed bodies, stalls, drips, resets.
 */
export async function startScriptedLlm(): Promise<ScriptedLlm> {
  let requests: RecordedLlmRequest[] = [];
  let queue: LlmReply[] = [];
  let script: LlmScript = () => sevenOutOfTen;
  let embeddingScript: LlmScript | null = null;
  let inFlight = 0;
  let inFlightMax = 0;
  const sockets = new Set<Socket>();
  const stopping = new AbortController();

  const server = createServer((incoming, response) => {
    inFlight += 1;
    inFlightMax = Math.max(inFlightMax, inFlight);
    response.once("close", () => {
      inFlight -= 1;
    });
    answer(incoming, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = recordRequest(incoming, await readBody(incoming));
    requests.push(request);
    const reply = await chooseReply(request);
    if (reply === null) return sendJson(response, 200, embeddingsOf(request));
    if (reply.delayMs !== undefined) await pause(reply.delayMs, stopping.signal);
    await play(request, reply, response, stopping.signal);
  }

  async function chooseReply(request: RecordedLlmRequest): Promise<LlmReply | null> {
    if (request.api === "other") return { kind: "status", status: 404, message: "no such path" };
    if (request.api === "embeddings") return embeddingScript === null ? null : embeddingScript(request);
    return queue.shift() ?? script(request);
  }

  const asScript = (given: LlmScript | LlmReply): LlmScript => (typeof given === "function" ? given : () => given);

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get requests() {
      return requests;
    },
    enqueue: (...replies) => {
      queue.push(...replies);
    },
    answerWith: (given) => {
      script = asScript(given);
    },
    embedWith: (given) => {
      embeddingScript = given === null ? null : asScript(given);
    },
    inFlight: () => inFlight,
    inFlightMax: () => inFlightMax,
    reset: () => {
      requests = [];
      queue = [];
      script = () => sevenOutOfTen;
      embeddingScript = null;
      inFlightMax = inFlight;
    },
    async stop() {
      stopping.abort();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function play(
  request: RecordedLlmRequest,
  reply: LlmReply,
  response: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  switch (reply.kind) {
    case "verdict": {
      const { rating, justification = "Mostly right.", extra } = reply;
      return sendJson(response, 200, envelope(request, JSON.stringify({ justification, rating, ...extra })));
    }
    case "text":
      return sendJson(response, 200, envelope(request, reply.text));
    case "status": {
      const { status, code = null, param = null, message = `scripted status ${status}` } = reply;
      const retryAfter = reply.retryAfter === undefined ? {} : { "retry-after": String(reply.retryAfter) };
      const body = reply.body ?? { error: { message, type: "scripted", code, param } };
      return sendJson(response, status, body, { ...retryAfter, ...reply.headers });
    }
    case "raw": {
      const contentType = reply.contentType ?? "application/json";
      response.writeHead(reply.status ?? 200, { "content-type": contentType, ...reply.headers });
      response.end(reply.body);
      return;
    }
    case "stall":
      response.writeHead(reply.status ?? 200, { "content-type": "application/json" });
      response.write('{"output_text": "{\\"rating\\": 9');
      return;
    case "drip": {
      response.writeHead(200, { "content-type": "application/json" });
      for (const piece of '{"output_text": "an answer that takes its time, and then some more') {
        if (response.destroyed) return;
        response.write(piece);
        await pause(reply.everyMs, stopping);
      }
      return;
    }
    case "silence":
      return;
    case "reset":
      if (reply.afterHeaders) {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.write('{"output_text": "');
        await pause(5, stopping);
      }
      response.socket?.resetAndDestroy();
      return;
  }
}

/** A text in the envelope of the API that was asked. */
function envelope(request: RecordedLlmRequest, text: string): unknown {
  if (request.api === "responses") {
    return {
      id: "resp_scripted",
      object: "response",
      status: "completed",
      model: request.model,
      output: [
        { type: "reasoning", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] },
      ],
      usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
    };
  }
  return {
    id: "chatcmpl-scripted",
    object: "chat.completion",
    model: request.model,
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text, refusal: null } }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}

function recordRequest(incoming: IncomingMessage, text: string): RecordedLlmRequest {
  const body = parseOrText(text);
  const members = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const path = incoming.url ?? "/";
  const { authorization, "x-api-key": _key, ...headers } = incoming.headers;
  const messages = (Array.isArray(members.messages) ? members.messages : []) as { role: string; content: string }[];
  const said = (isSystem: boolean): string =>
    messages
      .filter((message) => (message.role === "system") === isSystem)
      .map((message) => message.content)
      .join("\n");
  return {
    api: incoming.method === "POST" ? apiOf(path) : "other",
    method: incoming.method ?? "",
    path,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    keyHash: authorization === undefined ? null : hashLlmKey(authorization.replace(/^Bearer /, "")),
    body,
    model: typeof members.model === "string" ? members.model : null,
    instructions: typeof members.instructions === "string" ? members.instructions : said(true),
    prompt: typeof members.input === "string" ? members.input : said(false),
  };
}

/** The hash under which a key appears in {@link RecordedLlmRequest.keyHash}. */
export function hashLlmKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function apiOf(path: string): LlmApi {
  if (path === "/v1/responses") return "responses";
  if (path === "/v1/chat/completions") return "chat";
  return path === "/v1/embeddings" ? "embeddings" : "other";
}

const dimensions = 64;

/** Vectors that depend on nothing but the text: hashed counts of its words, so that shared words bring texts closer. */
function embeddingsOf(request: RecordedLlmRequest): unknown {
  const input = (request.body as { input?: unknown }).input;
  const texts = Array.isArray(input) ? input.map(String) : [String(input)];
  const data = texts.map((text, index) => {
    const embedding = new Array<number>(dimensions).fill(0);
    for (const word of text.toLowerCase().split(/\s+/)) {
      const bucket = createHash("sha256").update(word).digest().readUInt16BE(0) % dimensions;
      embedding[bucket] = (embedding[bucket] as number) + 1;
    }
    return { object: "embedding", index, embedding };
  });
  return { object: "list", model: request.model, data, usage: { prompt_tokens: 10, total_tokens: 10 } };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pause(ms: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stopping.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stopping.addEventListener("abort", done);
  });
}
