import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";

/** A client that sends a request and delays reading the answer. */
export interface StoppedReader {
  resume(): void;
  /** The bytes it has read. */
  text(): string;
  /** Resolves when the answer is complete (true) or broke off (false). */
  ended: Promise<boolean>;
  close(): void;
}

/** Sends a request and reads only the head of the answer: the rest stays with the sender once the buffers are full. */
export async function openStoppedReader(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<StoppedReader> {
  const request = get(url, { headers, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  for (const stream of [request, response]) stream.on("error", () => undefined);
  if (response.statusCode !== 200) throw new Error(`${url} was answered ${response.statusCode}`);
  const chunks: Buffer[] = [];
  return {
    resume: () => void response.on("data", (chunk) => chunks.push(chunk)),
    text: () => Buffer.concat(chunks).toString(),
    ended: new Promise((resolve) => response.once("close", () => resolve(response.complete))),
    close: () => void request.destroy(),
  };
}

/** A connection that sends what a test passes, and keeps what it received. */
export interface RawClient {
  write(text: string): void;
  readonly received: string;
  /** Whether the other side has closed or reset it. */
  readonly isEnded: boolean;
  close(): void;
}

/** Opens connections and sends `greeting` on each. */
export async function openRawClients(url: string, count: number, greeting = ""): Promise<RawClient[]> {
  return Promise.all(Array.from({ length: count }, () => openRawClient(url, greeting)));
}

async function openRawClient(url: string, greeting: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = await new Promise<Socket>((resolve, reject) => {
    const connecting = connect(Number(port), hostname, () => resolve(connecting));
    connecting.once("error", reject);
  });
  let received = "";
  let isEnded = false;
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  // The client stays half open: only the other side's actions count.
  for (const ending of ["error", "end", "close"]) {
    socket.on(ending, () => {
      isEnded = true;
    });
  }
  if (greeting !== "") socket.write(greeting);
  return {
    write(text) {
      if (!isEnded) socket.write(text);
    },
    get received() {
      return received;
    },
    get isEnded() {
      return isEnded;
    },
    close: () => void socket.destroy(),
  };
}
