import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The endpoints of an OpenAI-compatible provider; `other` is any path it does not have. */
export type LlmApi = "responses" | "chat" | "embeddings" | "other";

/** One request as the provider saw it. Only a hash of the key is kept. */
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
  /** The operator's part: `instructions`, or the system messages. Empty for embeddings. */
  instructions: string;
  /** The task's part: `input`, or the other messages. Empty for embeddings. */
  prompt: string;
}

/** Records a request without its key. */
export function recordLlmRequest(incoming: IncomingMessage, text: string): RecordedLlmRequest {
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

/** The hash that represents a key in {@link RecordedLlmRequest.keyHash}. */
export function hashLlmKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function apiOf(path: string): LlmApi {
  if (path === "/v1/responses") return "responses";
  if (path === "/v1/chat/completions") return "chat";
  return path === "/v1/embeddings" ? "embeddings" : "other";
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
