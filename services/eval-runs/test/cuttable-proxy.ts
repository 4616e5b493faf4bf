import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP path that a test can cut: what runs through it breaks, and nothing new gets through until it is mended. */
export interface CuttableProxy {
  /** The URL given, by way of the proxy. */
  url: string;
  cut(): void;
  mend(): void;
  /** Connections refused so far. */
  refused(): number;
  stop(): Promise<void>;
}

/** A proxy between the service and a server; `isCut` = start with the path cut. */
export async function startCuttableProxy(targetUrl: string, isCut = false): Promise<CuttableProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let cut = isCut;
  let refused = 0;
  const server = createServer((client) => {
    if (cut) {
      refused += 1;
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut() {
      cut = true;
      cutAll();
    },
    mend() {
      cut = false;
    },
    refused: () => refused,
    async stop() {
      cutAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
