import { connect, type Socket } from "node:net";

/** One keep-alive connection that sends a request at a time. */
export interface HttpConnection {
  /** Sends a body, under further header lines; resolves with the status once the whole answer is there. */
  post(path: string, body: string | Buffer, headerLines?: string): Promise<number>;
  /** Resolves with the body of a 200; rejects on any other status. */
  get(path: string, headerLines?: string): Promise<string>;
  close(): void;
}

interface Received {
  status: number;
  body: Buffer;
}

/**
 * A client with minimal overhead. Driver and system share the machine's cores, so the driver's CPU time is missing from
 * the measured system; a complete HTTP client takes as much as a service does. It supports only what our services send:
 * a status line and a body, of known length or in chunks, of which it sees only the end.
 */
export async function openHttpConnection(origin: string, headers: Record<string, string>): Promise<HttpConnection> {
  const { hostname, port } = new URL(origin);
  const socket = await open(hostname, Number(port));
  const fixedHeaders = Object.entries({ host: `${hostname}:${port}`, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  let chunks: Buffer[] = [];
  let waiting: { resolve(received: Received): void; reject(error: Error): void } | null = null;

  socket.on("data", (chunk) => {
    // Only the first chunk is searched for the end of the head; it nearly always contains all of it.
    if (chunks.length === 1 && !isHeadComplete(chunks[0] as Buffer)) chunks = [Buffer.concat([...chunks, chunk])];
    else chunks.push(chunk);
    const received = readAnswer(chunks);
    if (received === null) return;
    chunks = [];
    waiting?.resolve(received);
  });
  socket.on("close", () => waiting?.reject(new Error("The connection was closed.")));

  const send = (head: string, body: string | Buffer): Promise<Received> =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      if (typeof body === "string") {
        socket.write(`${head}${body}`);
      } else {
        socket.cork();
        socket.write(head);
        socket.write(body);
        socket.uncork();
      }
    });
  return {
    async post(path, body, headerLines = "") {
      const headers = `${fixedHeaders}${headerLines}content-length: ${Buffer.byteLength(body)}`;
      return (await send(`POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n`, body)).status;
    },
    async get(path, headerLines = "") {
      const { status, body } = await send(`GET ${path} HTTP/1.1\r\n${fixedHeaders}${headerLines}\r\n`, "");
      if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${body.toString("utf8").slice(0, 300)}`);
      return body.toString("utf8");
    },
    close: () => socket.destroy(),
  };
}

const headEnd = Buffer.from("\r\n\r\n");
const lastChunk = Buffer.from("0\r\n\r\n");

const isHeadComplete = (first: Buffer): boolean => first.includes(headEnd);

/** The answer, once it is complete; else null. */
function readAnswer(chunks: readonly Buffer[]): Received | null {
  const first = chunks[0] as Buffer;
  const end = first.indexOf(headEnd);
  if (end < 0) return null;
  const head = first.toString("latin1", 0, end).toLowerCase();
  const start = end + headEnd.length;
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  const status = Number(head.slice(9, 12));
  if (length === undefined && head.includes("\r\ntransfer-encoding: chunked")) {
    const last = chunks.at(-1) as Buffer;
    if (!last.subarray(-lastChunk.length).equals(lastChunk)) return null;
    return { status, body: joinChunks(Buffer.concat(chunks).subarray(start)) };
  }
  const wanted = start + Number(length ?? 0);
  if (chunks.reduce((bytes, chunk) => bytes + chunk.length, 0) < wanted) return null;
  return { status, body: chunks.length === 1 ? first.subarray(start) : Buffer.concat(chunks).subarray(start) };
}

function joinChunks(encoded: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = encoded.indexOf("\r\n", at);
    const length = Number.parseInt(encoded.toString("latin1", at, lineEnd), 16);
    if (!(length > 0)) return Buffer.concat(parts);
    parts.push(encoded.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}
