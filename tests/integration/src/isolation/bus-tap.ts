import { connect } from "node:net";

/** Everything that passes through a nats-server without users: requests, replies and events. */
export interface BusTap {
  /** Each message so far: its subject, headers and body. */
  messages(): string[];
  close(): void;
}

/** Subscribes with the raw protocol: two lines of text do not justify a client library. */
export async function openBusTap(port: number): Promise<BusTap> {
  const socket = connect(port, "127.0.0.1");
  let received = Buffer.alloc(0);
  const messages: string[] = [];
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf("\r\n");
      if (end < 0) return;
      const line = received.subarray(0, end).toString();
      if (line === "PING") socket.write("PONG\r\n");
      const isMessage = /^H?MSG /.test(line);
      const bytes = isMessage ? Number(line.split(" ").at(-1)) + 2 : 0;
      if (received.length < end + 2 + bytes) return;
      if (isMessage) messages.push(`${line}\n${received.subarray(end + 2, end + 2 + bytes)}`);
      received = received.subarray(end + 2 + bytes);
    }
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", resolve);
  });
  // The answer to the ping confirms the subscription.
  const subscribed = new Promise<void>((resolve) => {
    socket.on("data", function look(chunk: Buffer) {
      if (!chunk.includes("PONG")) return;
      socket.off("data", look);
      resolve();
    });
  });
  socket.write('CONNECT {"verbose":false,"headers":true}\r\nSUB > 1\r\nPING\r\n');
  await subscribed;
  return { messages: () => messages, close: () => socket.destroy() };
}
