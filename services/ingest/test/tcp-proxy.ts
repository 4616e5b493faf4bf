import { connect, createServer, type Server, type Socket } from "node:net";

/** A way to a server that a test can cut, as when the server stops, and open again. */
export interface TcpProxy {
  /** The target's URL with the proxy's port. */
  url: string;
  cut(): Promise<void>;
  open(): Promise<void>;
}

/** Starts a proxy on a free port of loopback; it is open. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  let port = 0;

  function track(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
  }

  async function open(): Promise<void> {
    const listening = createServer((incoming) => {
      const outgoing = track(connect(Number(target.port), target.hostname));
      track(incoming).pipe(outgoing).pipe(incoming);
      incoming.on("close", () => outgoing.destroy());
      outgoing.on("close", () => incoming.destroy());
    });
    server = listening;
    await new Promise<void>((resolve) => {
      listening.listen(port, "127.0.0.1", resolve);
    });
    port = (listening.address() as { port: number }).port;
  }

  await open();
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return {
    url: url.href,
    open,
    async cut() {
      const closing = server;
      server = null;
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        if (closing === null) resolve();
        else closing.close(() => resolve());
      });
    },
  };
}
