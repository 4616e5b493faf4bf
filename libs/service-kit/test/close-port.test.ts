import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { closePort } from "../src/index.ts";

test("a port that closes while the process hardly gets the processor breaks no connection that it completed", async () => {
  const server = createServer((_request, response) => response.end("yes"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const client = new Worker(new URL("./connecting-client.ts", import.meta.url), { workerData: { port } });
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

  expect(counts).toMatchObject({ broken: 0 });
  expect(counts.answered).toBeGreaterThan(10);
});
