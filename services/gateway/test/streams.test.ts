import { connect, type Socket } from "node:net";
import { PassThrough, type Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { routes } from "@touchstone/contracts";
import type { Answer } from "@touchstone/service-kit";
import { afterEach, expect, test, vi } from "vitest";
import { createOpenStreams } from "../src/http/open-streams.ts";
import {
  apiKey,
  head,
  mebibyte,
  projectId,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "./test-gateway.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const lasting = routes.exportTraces;
const events = "text/event-stream";
const lines = "application/x-ndjson";

/** A gateway before a service whose lasting answers the test writes. */
async function startStreaming(contentType: string, options: TestGatewayOptions = {}) {
  const bodies: PassThrough[] = [];
  const gateway: TestGateway = await startTestGateway({
    ...options,
    behind: {
      exportTraces: async (): Promise<Answer> => {
        const body = new PassThrough();
        bodies.push(body);
        return { status: 200, contentType, body: body as Readable };
      },
      ...options.behind,
    },
  });
  cleanups.push(async () => {
    for (const body of bodies) body.destroy();
    await gateway.stop();
  });
  const open = (headers: Record<string, string> = {}) =>
    fetch(gateway.url + lasting.path, { headers: { "x-api-key": apiKey, ...headers } });
  return { gateway, bodies, open };
}

/** Reads on until the text has come. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<void> {
  let read = "";
  while (!read.includes(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`ended before ${text}`);
    read += Buffer.from(value).toString();
  }
}

test("the head of a stream arrives before its first event, and each event as it is written", async () => {
  const { bodies, open } = await startStreaming(events);

  const answer = await open();
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, events]);
  expect(answer.headers.get("x-request-id")).not.toBeNull();
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  for (const event of ["one", "two"]) {
    bodies[0]?.write(`data: ${event}\n\n`);
    await readUntil(reader, event);
  }
  bodies[0]?.end();

  expect((await reader.read()).done).toBe(true);
});

test("a stream on which nothing arrives any more is cut", async () => {
  const { bodies, open } = await startStreaming(lines, { config: { streamIdleMs: 300 } });
  const answer = await open();
  bodies[0]?.write("{}\n");

  await expect(answer.text()).rejects.toThrow();
});

test("a large answer that is no stream may be read for longer than it may take to begin", async () => {
  const { deadlineMs } = routes.getRun;
  cleanups.push(() => Object.assign(routes.getRun, { deadlineMs }));
  Object.assign(routes.getRun, { deadlineMs: 200 });
  const body = new PassThrough();
  const getRun = async (): Promise<Answer> => ({ status: 200, body: body as Readable });
  const { gateway } = await startStreaming(lines, { behind: { getRun } });
  const path = routes.getRun.path.replace("{runId}", "run");

  const answer = await fetch(gateway.url + path, { headers: { "x-api-key": apiKey } });
  body.write('{"results":[');
  await sleep(500);
  body.end("]}");

  expect(await answer.text()).toBe('{"results":[]}');
});

test("a stream whose service dies breaks off at the client, without a clean end", async () => {
  const { bodies, open } = await startStreaming(lines);
  const answer = await open();
  bodies[0]?.write("{}\n", () => bodies[0]?.destroy(new Error("the cursor is gone")));

  await expect(answer.text()).rejects.toThrow();
});

/** A client that asks and then does not read. */
async function startSlowReader(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(head("GET", lasting.path));
  cleanups.push(() => socket.destroy());
  return socket;
}

test("a reader that stops reading holds the writer back, and is cut", async () => {
  const { gateway, bodies } = await startStreaming(lines, { config: { streamIdleMs: 500 } });
  await startSlowReader(gateway.url);
  await vi.waitFor(() => expect(bodies).toHaveLength(1));
  const body = bodies[0] as PassThrough;
  let written = 0;
  const piece = Buffer.alloc(64 * 1024, "x");
  const write = (): void => {
    while (!body.destroyed && body.write(piece)) written += piece.length;
  };
  body.on("drain", write).on("error", () => undefined);
  write();

  await vi.waitFor(() => expect(body.destroyed).toBe(true));

  expect(written).toBeLessThan(32 * mebibyte);
});

test("a client that disconnects ends the stream at the service", async () => {
  const { gateway, bodies } = await startStreaming(events);
  const client = await startSlowReader(gateway.url);
  await vi.waitFor(() => expect(bodies).toHaveLength(1));
  bodies[0]?.on("error", () => undefined);

  client.destroy();

  await vi.waitFor(() => expect(bodies[0]?.destroyed).toBe(true));
});

test.each([
  [events, "ends"],
  [lines, "breaks off"],
])("when its key is revoked a stream of %s %s", async (contentType, how) => {
  let isRevoked = false;
  const { bodies, open } = await startStreaming(contentType, {
    config: { streamRecheckMs: 50 },
    behind: {
      resolveKey: async () => ({
        status: 200,
        body: { key: isRevoked ? null : { projectId, organizationId: null } },
      }),
    },
  });
  const answer = await open();
  bodies[0]?.on("error", () => undefined).write("data: one\n\n");

  isRevoked = true;

  if (how === "ends") expect(await answer.text()).toBe("data: one\n\n");
  else await expect(answer.text()).rejects.toThrow();
});

test("a stop ends streams of events at once, and lets an export finish", async () => {
  const forEvents = await startStreaming(events);
  const forLines = await startStreaming(lines);
  const [watched, exported] = [await forEvents.open(), await forLines.open()];
  forEvents.bodies[0]?.write("data: one\n\n");
  forLines.bodies[0]?.write('{"id":1}\n');
  const watching = (watched.body as ReadableStream<Uint8Array>).getReader();
  await readUntil(watching, "one");

  const stops = [forEvents.gateway.service.stop(), forLines.gateway.service.stop()];
  expect((await watching.read()).done).toBe(true);
  forLines.bodies[0]?.end('{"id":2}\n');

  expect(await exported.text()).toBe('{"id":1}\n{"id":2}\n');
  await Promise.all(stops);
});

test("a stopping gateway opens no stream", () => {
  const streams = createOpenStreams({ recheckMs: 60_000 });
  streams.drain();

  expect(() => streams.admit({ projectId, organizationId: null })).toThrow("This gateway is stopping; retry.");
});
