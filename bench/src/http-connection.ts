import { connect, type Socket } from "node:net";

/** One keep-alive connection that sends a request at a time. */
export interface HttpConnection {
  /** Sends a JSON body; resolves with the status once the whole answer is there. */
  post(path: string, body: string): Promise<number>;
  close(): void;
}

/**
 * A client that costs next to nothing. Driver and system share the machine's cores, so what the driver burns is missing
 * from what is measured; a complete HTTP client takes as much as a service does. It understands what our gateway sends:
 * a status line and a body of stated length.
 */
export async function openHttpConnection(origin: string, headers: Record<string, string>): Promise<HttpConnection> {
  const { hostname, port } = new URL(origin);
  const socket = await open(hostname, Number(port));
  const fixedHeaders = Object.entries({ host: `${hostname}:${port}`, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  let received = "";
  let waiting: { resolve(status: number): void; reject(error: Error): void } | null = null;

  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    received += chunk;
    const headEnd = received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1];
    if (received.length < headEnd + 4 + Number(length ?? 0)) return;
    const status = Number(received.slice(9, 12));
    received = "";
    waiting?.resolve(status);
  });
  socket.on("close", () => waiting?.reject(new Error("The connection was closed.")));

  return {
    post(path, body) {
      const head = `POST ${path} HTTP/1.1\r\n${fixedHeaders}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(head + body);
      });
    },
    close: () => socket.destroy(),
  };
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}
