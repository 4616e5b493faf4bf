import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { RecordedLlmRequest } from "./llm-request.ts";

/** The scripted provider's reaction to one request. `delayMs` passes before anything is sent. */
export type LlmReply = { delayMs?: number } & (
  | {
      /** A well-formed answer of the requested API with this verdict as JSON. `rating` may be anything. */
      kind: "verdict";
      rating: unknown;
      justification?: unknown;
      /** Further members of the verdict. */
      extra?: Record<string, unknown>;
    }
  | {
      /** A well-formed answer of the requested API with this text. */
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
      /** Exactly these bytes. */
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
      /** A well-formed verdict, one piece at a time and never complete. */
      kind: "drip";
      everyMs: number;
    }
  | {
      /** The request is accepted and never answered. */
      kind: "silence";
    }
  | {
      /** The connection is reset: before any byte, or in the middle of the body. */
      kind: "reset";
      afterHeaders?: boolean;
    }
);

/** Answers a request according to the reply, including its faults. */
export async function playReply(
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

/** A text in the envelope of the requested API. */
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

const dimensions = 64;
/** By word. Texts of a megabyte repeat theirs, and a provider that only hashes would be slower than what it tests. */
const buckets = new Map<string, number>();
const bucketsMax = 500_000;

/** Vectors that depend only on the text: hashed counts of its words, so that shared words bring texts closer. */
export function sendEmbeddings(request: RecordedLlmRequest, response: ServerResponse): void {
  const input = (request.body as { input?: unknown }).input;
  const texts = Array.isArray(input) ? input.map(String) : [String(input)];
  const data = texts.map((text, index) => {
    const embedding = new Array<number>(dimensions).fill(0);
    for (const word of text.toLowerCase().split(/\s+/)) {
      const bucket = bucketOf(word);
      embedding[bucket] = (embedding[bucket] as number) + 1;
    }
    return { object: "embedding", index, embedding };
  });
  sendJson(response, 200, {
    object: "list",
    model: request.model,
    data,
    usage: { prompt_tokens: 10, total_tokens: 10 },
  });
}

function bucketOf(word: string): number {
  const known = buckets.get(word);
  if (known !== undefined) return known;
  const bucket = createHash("sha256").update(word).digest().readUInt16BE(0) % dimensions;
  if (buckets.size < bucketsMax) buckets.set(word, bucket);
  return bucket;
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Waits, but not beyond the end of the provider. */
export function pause(ms: number, stopping: AbortSignal): Promise<void> {
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
