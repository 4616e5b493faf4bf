import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type LlmReply, pause, playReply, sendEmbeddings } from "./llm-reply.ts";
import { type RecordedLlmRequest, recordLlmRequest } from "./llm-request.ts";

/** Chooses a reply when the queue is empty. */
export type LlmScript = (request: RecordedLlmRequest) => LlmReply | Promise<LlmReply>;

/** A running scripted provider. */
export interface ScriptedLlm {
  /** Base URL to configure, ending in `/v1`. */
  baseUrl: string;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly RecordedLlmRequest[];
  /** Replies for the next requests, in order; when they are used up, the script answers. Embeddings never use one. */
  enqueue(...replies: LlmReply[]): void;
  /** Answers when nothing is queued: a script, or one reply for all. Initially a verdict rated 7. */
  answerWith(script: LlmScript | LlmReply): void;
  /** The same for embeddings; null, the initial value, gives deterministic vectors. */
  embedWith(script: LlmScript | LlmReply | null): void;
  /** The number of requests being answered now, and the maximum so far. */
  inFlight(): number;
  inFlightMax(): number;
  /** Resets queue, requests and scripts. */
  reset(): void;
  /** Closes every connection. */
  stop(): Promise<void>;
}

const sevenOutOfTen: LlmReply = { kind: "verdict", rating: 7, justification: "Mostly right." };

/**
 * A scripted provider, over real HTTP on loopback: OpenAI's Responses API, Chat Completions and embeddings. It fails as
 * scripted: wrong statuses, malformed bodies, stalls, drips, resets.
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
    const request = recordLlmRequest(incoming, await readBody(incoming));
    requests.push(request);
    const reply = await chooseReply(request);
    if (reply === null) return sendEmbeddings(request, response);
    if (reply.delayMs !== undefined) await pause(reply.delayMs, stopping.signal);
    await playReply(request, reply, response, stopping.signal);
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

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
