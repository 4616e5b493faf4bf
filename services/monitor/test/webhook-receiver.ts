import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A message that arrived. */
export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
}

type ReceiverAnswer = number | "hangs" | Promise<number>;

/** A server that receives webhooks. */
export interface WebhookReceiver {
  /**
   * A separate path that answers with these statuses in turn, then always with the last one; `hangs` never answers, and
   * a promise answers when it resolves.
   */
  open(...answers: readonly ReceiverAnswer[]): { url: string; received: Received[] };
  stop(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const paths = new Map<string, { answers: ReceiverAnswer[]; received: Received[] }>();
  const server = createServer((request, response) => {
    const path = paths.get(request.url ?? "");
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      path?.received.push({ headers: request.headers, text: Buffer.concat(chunks).toString() });
      const answer = (path && (path.answers.length > 1 ? path.answers.shift() : path.answers[0])) ?? 404;
      if (answer === "hangs") return;
      const status = await answer;
      response.writeHead(status, status === 302 ? { location: "/redirected" } : {}).end("thanks");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    open(...answers) {
      const path = `/${crypto.randomUUID()}`;
      const received: Received[] = [];
      paths.set(path, { answers: [...answers], received });
      return { url: `http://127.0.0.1:${port}${path}`, received };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Checks a message the way Standard Webhooks tells receivers to, with Web Crypto. Answers which of the signatures, from
 * 0, is by the secret; -1: none.
 */
export async function findSignature({ headers, text }: Received, secret: string): Promise<number> {
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (char) => char.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const signed = new TextEncoder().encode(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`);
  const signatures = String(headers["webhook-signature"] ?? "").split(" ");
  for (const [index, signature] of signatures.entries()) {
    if (!signature.startsWith("v1,")) continue;
    const given = Uint8Array.from(atob(signature.slice(3)), (char) => char.charCodeAt(0));
    if (await crypto.subtle.verify("HMAC", key, given, signed)) return index;
  }
  return -1;
}
