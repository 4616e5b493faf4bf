import { request as send } from "undici";
import type { HttpAnswer } from "./check-answer.ts";
import type { HttpRequest } from "./http-request.ts";
import type { TestedSystem } from "./system.ts";

/** Without an answer the test fails. How soon it comes depends on the machine. */
const answerDeadlineMs = 60_000;

/** Sends a request with the system's key, unless it has one. Rejects when the answer takes too long. */
export async function sendRequest(
  { url, apiKey, adminToken }: TestedSystem,
  request: HttpRequest,
): Promise<HttpAnswer> {
  const { statusCode, headers, body } = await send(`${url}${request.path}`, {
    method: request.method as "GET",
    headers: {
      "x-api-key": apiKey,
      ...(adminToken !== null && { "x-admin-token": adminToken }),
      ...request.headers,
    },
    body: request.body,
    signal: AbortSignal.timeout(answerDeadlineMs),
  });
  if (String(headers["content-type"]).startsWith("text/event-stream")) {
    // The stream would continue as long as a client listens.
    body.on("error", () => {}).destroy();
    return { status: statusCode, headers, body: Buffer.alloc(0) };
  }
  return { status: statusCode, headers, body: Buffer.from(await body.arrayBuffer()) };
}
