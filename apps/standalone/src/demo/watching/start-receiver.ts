import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The receiver of the sample project's webhooks: on loopback, for the lifetime of this process. */
export interface DemoReceiver {
  /** Accepts every delivery, unless it is switched to failing. */
  url: string;
  /** Answers that it is permanently gone. */
  goneUrl: string;
  fail(isFailing: boolean): void;
}

export async function startReceiver(): Promise<DemoReceiver> {
  let isFailing = false;
  const server = createServer((request, response) => {
    const status = request.url === "/gone" ? 410 : isFailing ? 503 : 204;
    request.resume().once("end", () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  server.unref();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/on-call`,
    goneUrl: `${origin}/gone`,
    fail: (failing) => {
      isFailing = failing;
    },
  };
}
