import { createServer } from "node:net";
import { translateListenError } from "@touchstone/service-kit";

/** Throws a message for the operator if the port cannot be listened on. Port 0 is always free. */
export async function assertPortFree({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(translateListenError(cause, port)));
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
