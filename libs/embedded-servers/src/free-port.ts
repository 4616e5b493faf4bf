import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** The kernel assigns 32768 and above to connections and to servers without a fixed port. */
const lastPort = 31_999;
/** Each worker of a test run has separate ports; other programs share the rest. */
const workerPorts = 1_000;
const workersMax = 14;

const worker = process.env.VITEST_POOL_ID;
const firstPort = 10_000 + (worker === undefined ? workersMax : Number(worker) % workersMax) * workerPorts;
const ports = worker === undefined ? lastPort - firstPort + 1 : workerPorts;
/** A random start: another process starts from a different port. */
let next = randomInt(ports);

/**
 * A free TCP port on 127.0.0.1 for a server that starts later or restarts. The kernel assigns it to no connection, and this
 * process does not get it again soon; another program may still bind it first.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < ports; tries += 1) {
    const port = firstPort + next;
    next = (next + 1) % ports;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${firstPort} to ${firstPort + ports - 1} is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
