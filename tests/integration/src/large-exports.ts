import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { gzipSync } from "node:zlib";

/** The transport of an export. */
export interface Transport {
  isCompressed: boolean;
  /** Without a content length: the receiver does not know the size. */
  isChunked: boolean;
}

/** Exports of one root span each, which share one large attribute, so that many of them take no memory in a test. */
export interface LargeExports {
  /** Sends another export and returns the answer; rejects when the connection broke before it. */
  send(transport: Transport): Promise<ExportAnswer>;
}

export interface ExportAnswer {
  status: number;
  retryAfter: string | undefined;
  text: string;
}

/** Text of hexadecimal digits: gzip halves it. */
export function createLargeExports(url: string, apiKey: string, bytes: number): LargeExports {
  const rest = `${randomBytes(bytes / 2).toString("hex")}"}}]}]}]}]}`;
  const tail = { plain: Buffer.from(rest), zipped: gzipSync(rest, { level: 1 }) };
  return {
    send({ isCompressed, isChunked }) {
      const ids = `"traceId":"${randomBytes(16).toString("hex")}","spanId":"${randomBytes(8).toString("hex")}"`;
      const begin = `{"resourceSpans":[{"scopeSpans":[{"spans":[{${ids},"name":"large","attributes":[{"key":"input.value","value":{"stringValue":"`;
      // A gzip file may have several members in sequence.
      const parts = isCompressed ? [gzipSync(begin), tail.zipped] : [Buffer.from(begin), tail.plain];
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      return new Promise((resolve, reject) => {
        const sending = request(`${url}/api/v1/otel/v1/traces`, {
          method: "POST",
          agent: false,
          headers: {
            "x-api-key": apiKey,
            "content-type": "application/json",
            ...(isCompressed && { "content-encoding": "gzip" }),
            ...(isChunked ? { "transfer-encoding": "chunked" } : { "content-length": String(length) }),
          },
        });
        sending.once("error", reject);
        sending.once("response", (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (chunk) => {
            text += chunk;
          });
          answer.once("error", reject);
          answer.once("end", () =>
            resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers["retry-after"], text }),
          );
        });
        for (const part of parts) sending.write(part);
        sending.end();
      });
    },
  };
}
