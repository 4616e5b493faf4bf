import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError, createBodyBudget, readBody } from "../src/index.ts";

const budget = createBodyBudget({ bytesMax: 64 * 1024 * 1024 });

/** Reads each body this many milliseconds after its head, and returns it. */
const server = createServer(async (request, response) => {
  await sleep(Number(request.headers["x-read-after"]));
  const share = budget.open(() => new AppError("queue_full", "full"));
  response.end(await readBody(request, { maxBytes: 1_000_000, share }));
  share.release();
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends pieces as chunks, or as one body of a known length, and returns the answer. */
function echo(pieces: readonly string[], options: { readAfterMs: number; isChunked: boolean }): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const length = options.isChunked ? {} : { "content-length": Buffer.byteLength(pieces.join("")) };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { port, host: "127.0.0.1", method: "POST", headers: { "x-read-after": options.readAfterMs, ...length } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece) => {
          text += piece;
        });
        response.on("end", () => resolve(text));
      },
    );
    sent.on("error", reject);
    for (const piece of pieces) sent.write(piece);
    sent.end();
  });
}

describe.each([true, false])("a body (chunked: %s)", (isChunked) => {
  // The bodies of OpenTelemetry's exporters: all of it may have arrived, including its end, before it is read.
  test.each([0, 1, 30])("that is read %i ms after its head is complete, however it was split", async (readAfterMs) => {
    for (const pieces of [["one"], ["one", "two"], ["a".repeat(90_000), "b".repeat(90_000), "c"]]) {
      expect(await echo(pieces, { readAfterMs, isChunked })).toBe(pieces.join(""));
    }
  });
});

test("chunks of all sizes come back in their order", async () => {
  const sizes = [...Array(2_000).fill(1), 5_000, 3, 4_095, 4_096, 1, 60_000, ...Array(300).fill(700), 90_000, 2];
  const pieces = sizes.map((size, index) => String.fromCharCode(97 + (index % 26)).repeat(size));
  expect(await echo(pieces, { readAfterMs: 0, isChunked: true })).toBe(pieces.join(""));
});

test("a body in chunks of one byte takes memory for its bytes, not for its chunks", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const heapUsed = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const chunkCount = 200_000;
  const before = heapUsed();
  const request = Object.assign(new PassThrough({ highWaterMark: 1 }), { headers: { "transfer-encoding": "chunked" } });
  const share = budget.open(() => new AppError("queue_full", "full"));
  const body = readBody(request as unknown as IncomingMessage, { maxBytes: 1_000_000, share });
  for (let sent = 0; sent < chunkCount; sent += 1) {
    if (!request.write("a")) await once(request, "drain");
  }
  expect(heapUsed() - before).toBeLessThan(10_000_000);
  request.end();
  expect(await body).toHaveLength(chunkCount);
  share.release();
});
