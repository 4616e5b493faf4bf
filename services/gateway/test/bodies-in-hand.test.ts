import { connect, type Socket } from "node:net";
import { type Route, routes } from "@touchstone/contracts";
import { afterEach, expect, test, vi } from "vitest";
import { apiKey, mebibyte, post, startTestGateway, type TestGateway } from "./test-gateway.ts";

let gateway: TestGateway;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
});

/** Announces a body and sends nothing of it; returns the answer. */
function announce(route: Route, bytes: number): { text(): string } {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.on("error", () => {});
  socket.setEncoding("latin1").on("data", (more) => {
    text += more;
  });
  socket.write(
    `POST ${route.path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
  );
  return { text: () => text };
}

async function readHeldBytes(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const values = text.matchAll(/^service_http_body_bytes\{service="gateway",.*\} (\d+)$/gm);
  return [...values].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

test("bodies for which a gateway has no memory are refused unread, small ones are not, and a disconnect frees memory", async () => {
  gateway = await startTestGateway();
  for (let index = 0; index < 96; index += 1) announce(routes.submitTrace, mebibyte);
  await vi.waitFor(async () => expect(await readHeldBytes()).toBe(96 * mebibyte));

  const refused = [routes.submitTrace, routes.receiveTraces, routes.createDataset].map((route) =>
    announce(route, mebibyte),
  );
  const [trace, otlp, dataset] = refused as [(typeof refused)[0], (typeof refused)[0], (typeof refused)[0]];
  const small = await post(gateway, routes.submitTrace.path, "{}");
  expect(small.status).toBe(200);
  await vi.waitFor(() => expect(refused.every(({ text }) => text().endsWith("}"))).toBe(true));
  expect(trace.text()).toMatch(/^HTTP\/1.1 429 [\s\S]*retry-after: 1\r\n[\s\S]*\{"error":"Ingest queue is full - /);
  expect(otlp.text()).toMatch(/^HTTP\/1.1 429 [\s\S]*retry-after: 1\r\n[\s\S]*\{"message":"ingest queue full - /);
  expect(dataset.text()).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*\{"statusCode":503,/);

  for (const socket of sockets.splice(0)) socket.destroy();
  await vi.waitFor(async () => expect(await readHeldBytes()).toBe(0));
  expect((await post(gateway, routes.submitTrace.path, Buffer.alloc(mebibyte, " "))).status).toBe(200);
});

test("a body that is passed on as it comes costs what its stream keeps, however long it is", async () => {
  gateway = await startTestGateway();
  announce(routes.receiveTraces, 64 * mebibyte);

  await vi.waitFor(async () => expect(await readHeldBytes()).toBe(256 * 1024));
});
