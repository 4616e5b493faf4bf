import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createMessageSocket } from "../src/message-socket.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A message of PostgreSQL: its type, the length of the rest with itself, and the rest. */
function messageOf(bytes: number, filling: string): Buffer {
  const message = Buffer.alloc(5 + bytes, filling);
  message.write("D");
  message.writeUInt32BE(4 + bytes, 1);
  return message;
}

/** Opens a socket to a server that sends these pieces, and keeps what it emits. */
async function receive(pieces: readonly Buffer[]): Promise<{ emitted: Buffer[]; whole: Buffer }> {
  const server: Server = createServer(async (peer: Socket) => {
    peer.setNoDelay(true);
    for (const piece of pieces) {
      peer.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    peer.end();
  }).listen(0, "127.0.0.1");
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  await once(server, "listening");
  const socket = createMessageSocket();
  const emitted: Buffer[] = [];
  // What is emitted is only valid now.
  socket.on("data", (chunk: Buffer) => void emitted.push(Buffer.from(chunk)));
  socket.connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "close");
  return { emitted, whole: Buffer.concat(emitted) };
}

/** Whether it consists of whole messages. */
function isWhole(chunk: Buffer): boolean {
  let at = 0;
  while (at < chunk.length) at += 1 + chunk.readUInt32BE(at + 1);
  return at === chunk.length;
}

const kibibyte = 1024;
const messages = [
  3,
  0,
  70 * kibibyte,
  1,
  5_000 * kibibyte,
  64 * kibibyte,
  64 * kibibyte - 5,
  200,
  40_000 * kibibyte,
  9,
].map((bytes, at) => messageOf(bytes, String.fromCharCode(97 + at)));

test.each([[1_000], [64 * kibibyte], [1_000_003]])(
  "messages that arrive in pieces of %d bytes are emitted whole and in order",
  async (pieceBytes) => {
    const sent = Buffer.concat(pieceBytes === 1_000 ? messages.slice(0, 4) : messages);
    const pieces = Array.from({ length: Math.ceil(sent.length / pieceBytes) }, (_, at) =>
      sent.subarray(at * pieceBytes, (at + 1) * pieceBytes),
    );
    const { emitted, whole } = await receive(pieces);
    expect(whole.equals(sent)).toBe(true);
    expect(emitted.every(isWhole)).toBe(true);
  },
);

test("a message that arrives byte by byte is emitted once", async () => {
  const sent = Buffer.concat([messageOf(7, "x"), messageOf(0, "y")]);
  const { emitted } = await receive([...sent].map((byte) => Buffer.from([byte])));
  expect(Buffer.concat(emitted).equals(sent)).toBe(true);
  expect(emitted.every(isWhole)).toBe(true);
});

test("a server of another kind, whose text looks like a length of gigabytes, costs no more memory than it sends", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const { emitted } = await receive([Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")]);
  expect(emitted).toEqual([]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * 1024 * 1024);
});
