import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { closePort } from "../src/index.ts";

const connectEveryMs = 4;
/** A busy turn of the loop below lets this many connections wait. */
const waitingAfterTurn = 200 / connectEveryMs;

test("a port that closes while the process hardly gets the processor answers the connections that wait for it", async () => {
  const server = createServer((_request, response) => response.end("yes"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const client = new Worker(new URL("./connecting-client.ts", import.meta.url), {
    workerData: { port, connectEveryMs },
  });
  onTestFinished(async () => void (await client.terminate()));
  await once(server, "request");

  const counted = once(client, "message");
  const closed = closePort(server);
  for (let turn = 0; turn < 5; turn += 1) {
    await nextTurn();
    const endMs = performance.now() + 200;
    while (performance.now() < endMs);
  }
  const [counts] = await counted;
  await closed;

  // A connection that arrives between the last accept and the closing breaks. On a busy machine these may be a few.
  expect(counts.broken).toBeLessThan(waitingAfterTurn / 2);
  expect(counts.answered).toBeGreaterThan(waitingAfterTurn);
});
