import { readFile } from "node:fs/promises";
import path from "node:path";
import type { z } from "zod";

const fixtures = path.resolve(import.meta.dirname, "../../../fixtures/otlp");

/** An answer as a client reads it. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** A client of the gateway with one project key. */
export interface ApiClient {
  send(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** Sends a request, requires the status, and checks the answer against its schema. */
  expect<Schema extends z.ZodType>(
    expected: { status: number; schema: Schema },
    method: string,
    route: string,
    body?: unknown,
  ): Promise<z.output<Schema>>;
  /** Sends a recorded export as its SDK sent it, and requires 200. */
  sendCapture(name: string): Promise<void>;
}

/** `route` is the path after `/api/v1`. Strings and Buffers are sent unchanged, anything else as JSON. */
export function createClient(system: { url: string; apiKey: string }): ApiClient {
  async function send(
    method: string,
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const isRaw = typeof body === "string" || Buffer.isBuffer(body);
    const response = await fetch(`${system.url}/api/v1${route}`, {
      method,
      headers: {
        "x-api-key": system.apiKey,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  }

  return {
    send,
    async expect(expected, method, route, body) {
      const answer = await send(method, route, body);
      if (answer.status !== expected.status) {
        throw new Error(`${method} ${route} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      }
      return expected.schema.parse(answer.body);
    },
    async sendCapture(name) {
      const answer = await send("POST", "/otel/v1/traces", await readFile(path.join(fixtures, name)), {
        "content-type": name.includes(".json") ? "application/json" : "application/x-protobuf",
        ...(name.endsWith(".gz") && { "content-encoding": "gzip" }),
      });
      if (answer.status !== 200)
        throw new Error(`${name} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    },
  };
}
