import { connect, createServer, type Socket } from "node:net";

/** A wire that can be cut, between the gateway and a server under test. */
export interface TcpProxy {
  port: number;
  /** Connections stay open and nothing gets through any more, as with a frozen server. */
  freeze(): void;
  /** Connections end and new ones are refused. */
  cut(): Promise<void>;
  /** Everything gets through again. */
  mend(): Promise<void>;
  stop(): Promise<void>;
}

/** Passes bytes on to a server on this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((client) => {
    const upstream = connect(targetPort, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => (isFrozen ? undefined : to.write(bytes)));
      from.on("error", () => undefined);
      from.once("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const cut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    freeze() {
      isFrozen = true;
    },
    cut,
    async mend() {
      isFrozen = false;
      for (const socket of sockets) socket.destroy();
      if (!server.listening) await listen(port);
    },
    stop: cut,
  };
}
