import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** The kernel hands out 32768 and above, to connections and to servers that name no port. */
const firstPort = 10_000;
const workerPorts = 1_000;
const workersMax = 22;

const workerFirst = firstPort + (Number(process.env.VITEST_POOL_ID ?? 0) % workersMax) * workerPorts;
/** Anywhere: another run of the tests on this machine counts from somewhere else. */
let next = randomInt(workerPorts);

/**
 * A TCP port on 127.0.0.1 that is free, and is kept for a process that starts later or comes back: no other worker of this
 * run is told of it, and no connection is given it by accident.
 */
export async function keepFreePort(): Promise<number> {
  for (let tries = 0; tries < workerPorts; tries += 1) {
    const port = workerFirst + next;
    next = (next + 1) % workerPorts;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${workerFirst} to ${workerFirst + workerPorts - 1} is free.`);
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
