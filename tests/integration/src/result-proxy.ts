import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Forwards to an installation, and breaks the connection of a batch of results when `mayPass` resolves to false. */
export async function startResultProxy(url: string, mayPass: () => Promise<boolean>) {
  let refused = (): void => undefined;
  const server: Server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (incoming.url?.endsWith("/results") && !(await mayPass())) {
      refused();
      return void incoming.socket.destroy();
    }
    const answer = await fetch(`${url}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: { "x-api-key": String(incoming.headers["x-api-key"]), "content-type": "application/json" },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onRefused(listener: () => void) {
      refused = listener;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
