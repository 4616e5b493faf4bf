import type { FastifyInstance } from "fastify";
import { closePort } from "./close-port.ts";
import type { Connections } from "./connections.ts";

/** How long a stopping server still accepts requests: callers without another replica must not be refused at once. */
const announceMs = 200;

/**
 * Dismisses the callers and closes the server. The port stays open until no new connections arrive: a connection that
 * the kernel completed but the server has not accepted is reset when the port is closed, with the request sent on it.
 */
export async function drain(
  app: FastifyInstance,
  connections: Connections,
  { drainMs, startRefusing }: { drainMs: number; startRefusing: () => void },
): Promise<void> {
  const cut = setTimeout(() => connections.cutAll(), drainMs);
  connections.dismissIdle();
  await connections.whenGone(Math.min(announceMs, drainMs));
  startRefusing();
  connections.dismissIdle();
  await connections.whenIdle(drainMs);
  await closePort(app.server);
  await app.close();
  clearTimeout(cut);
}
