import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** The kernel assigns 32768 and above to connections and to servers without a fixed port. */
const firstPort = 10_000;
const workerPorts = 1_000;
const workersMax = 22;

const workerFirst = firstPort + (Number(process.env.VITEST_POOL_ID ?? 0) % workersMax) * workerPorts;
/** A random start: another test run on this machine starts from a different port. */
let next = randomInt(workerPorts);

/**
 * A free TCP port on 127.0.0.1, reserved for a process that starts later or restarts: no other worker of this run gets
 * it, and the kernel assigns it to no connection.
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
