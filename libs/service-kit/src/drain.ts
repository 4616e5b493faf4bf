import type { FastifyInstance } from "fastify";
import { closePort } from "./close-port.ts";
import type { Connections } from "./connections.ts";

/** How long a stopping server still takes requests: callers that have no other replica must not be refused at once. */
const announceMs = 200;

/**
 * Takes leave of the callers and closes the server. The port stays open until nobody comes any more: a connection that
 * the system has made and nobody has accepted is reset when the port is closed, with the request that was sent on it.
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
