import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { closePort } from "@touchstone/service-kit";
import type { FastifyInstance } from "fastify";

export interface DrainBounds {
  /** How long a stopping gateway still takes connections: for clients and load balancers to hear of it. */
  announceMs: number;
  /** What is still busy after so long is cut. */
  drainMs: number;
}

/**
 * Closes the public door. HTTP/1.1 clients learn that a connection ends from the answer before; so for a while everything
 * is answered, with `Connection: close`, and only then the port and the connections that stayed idle are closed.
 */
export async function drainServer(app: FastifyInstance, { announceMs, drainMs }: DrainBounds): Promise<void> {
  const { server } = app;
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  const deadline = performance.now() + Math.min(announceMs, drainMs);
  while (performance.now() < deadline && (await countConnections(server)) > 0) await sleep(20);
  // A connection may become idle later: a refused body is still read off it after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closePort(server);
  await app.close();
  clearInterval(sweep);
  clearTimeout(cut);
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
