import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server of a test. */
export interface OwnEndpoint {
  url: string;
  /** The headers of each request, in the order of arrival. */
  received: IncomingHttpHeaders[];
  stop(): Promise<void>;
}

/** Starts a server on loopback that gives every request the status and the JSON body that `answer` returns at that moment. */
export async function startOwnEndpoint(answer: () => { status: number; body: object }): Promise<OwnEndpoint> {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    const { status, body } = answer();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
