import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { deadlines, limits, routes } from "@touchstone/contracts";
import { cutWhenSlow } from "@touchstone/service-kit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apiKey, head, mebibyte, startTestGateway, type TestGateway } from "./test-gateway.ts";

let gateway: TestGateway;
const sockets: Socket[] = [];
const usual = { limits: { ...limits }, deadlines: { ...deadlines } };

beforeEach(() => {
  Object.assign(limits, { answersMaxBytes: 8 * mebibyte });
  Object.assign(deadlines, { answerRoomMs: 200 });
});

afterEach(async () => {
  Object.assign(limits, usual.limits);
  Object.assign(deadlines, usual.deadlines);
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway?.stop();
});

/** Sends a request and does not read. Bytes beyond the buffers of the connection wait. */
function askAndWait(): void {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  socket.pause();
  socket.write(head("GET", routes.listTraces.path));
}

const read = (path: string) => fetch(gateway.url + path, { headers: { "x-api-key": apiKey } });

async function heldBytes(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/^service_http_answer_bytes\{service="gateway"\} (\d+)$/m.exec(text)?.[1]);
}

/** Kept by the connection until it is read, whatever its buffers take. */
const large = Buffer.alloc(32 * mebibyte, "x");

describe.each([
  ["in the process of the gateway", true, large.length],
  ["in a process of its own", false, 256 * 1024],
])("while a client does not read an answer of a service %s", (_where, isLocal, held) => {
  test("a further large one waits and is refused, a small one is not, and a disconnect frees memory", async () => {
    gateway = await startTestGateway({ isLocal, behind: { listTraces: async () => ({ status: 200, body: large }) } });
    askAndWait();
    await vi.waitFor(async () => expect(await heldBytes()).toBe(held));

    const refused = await read(routes.listTraces.path);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toEqual({
      statusCode: 503,
      message: "The ingest service has too many large answers to send; retry.",
    });
    expect((await read(routes.readMetrics.path)).status).toBe(200);

    for (const socket of sockets.splice(0)) socket.destroy();
    await vi.waitFor(async () => expect(await heldBytes()).toBe(0));
    const answer = await read(routes.listTraces.path);
    expect((await answer.arrayBuffer()).byteLength).toBe(large.length);
  });

  test("another client that disconnects while its answer waits for memory does no harm", async () => {
    Object.assign(deadlines, { answerRoomMs: 60_000 });
    let answered = 0;
    const listTraces = async () => {
      answered += 1;
      return { status: 200, body: answered === 1 ? large : Readable.from([large]) };
    };
    gateway = await startTestGateway({ isLocal, behind: { listTraces } });
    askAndWait();
    await vi.waitFor(async () => expect(await heldBytes()).toBe(held));

    for (let client = 0; client < 5; client += 1) {
      const leaving = new AbortController();
      const asking = fetch(gateway.url + routes.listTraces.path, {
        headers: { "x-api-key": apiKey },
        signal: leaving.signal,
      });
      await vi.waitFor(() => expect(answered).toBe(client + 2));
      await sleep(50);
      leaving.abort();
      await expect(asking).rejects.toThrow();
    }

    // An `error` event without a listener would end the process.
    await sleep(200);
    expect((await read(routes.readMetrics.path)).status).toBe(200);
    expect(await heldBytes()).toBe(held);
  });
});

describe("a reader", () => {
  /** A response whose reader reads this many bytes in each interval. */
  function answerTo({ taken, isWaitedFor }: { taken: number; isWaitedFor: boolean }) {
    vi.useFakeTimers();
    const socket = { bytesWritten: 0, writableLength: isWaitedFor ? 1 : 0 };
    const closing: (() => void)[] = [];
    const response = {
      socket,
      writableLength: 0,
      once: (_event: string, listener: () => void) => closing.push(listener),
      destroy: vi.fn(),
    };
    cutWhenSlow(response as never, 1_000);
    for (let stretch = 0; stretch < 5; stretch += 1) {
      socket.bytesWritten += taken;
      vi.advanceTimersByTime(1_000);
    }
    for (const listener of closing) listener();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    return response.destroy;
  }

  test("that reads a large answer very slowly is cut", () => {
    expect(answerTo({ taken: 1_000, isWaitedFor: true })).toHaveBeenCalled();
  });

  test("that reads steadily is not cut, nor is one that has nothing to read", () => {
    expect(answerTo({ taken: mebibyte, isWaitedFor: true })).not.toHaveBeenCalled();
    expect(answerTo({ taken: 0, isWaitedFor: false })).not.toHaveBeenCalled();
  });
});
