import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { closePort } from "@touchstone/service-kit";
import type { FastifyInstance } from "fastify";

export interface DrainBounds {
  /** How long a stopping gateway still accepts connections, so that clients and load balancers notice. */
  announceMs: number;
  /** Connections that are busy after this time are closed. */
  drainMs: number;
}

/**
 * Closes the public listener. HTTP/1.1 clients learn from a response that a connection ends; so for a while everything
 * is answered with `Connection: close`, and only then are the port and the idle connections closed.
 */
export async function drainServer(app: FastifyInstance, { announceMs, drainMs }: DrainBounds): Promise<void> {
  const { server } = app;
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  const deadline = performance.now() + Math.min(announceMs, drainMs);
  while (performance.now() < deadline && (await countConnections(server)) > 0) await sleep(20);
  // A connection may become idle later: a refused body is still read after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closePort(server);
  await app.close();
  clearInterval(sweep);
  clearTimeout(cut);
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
