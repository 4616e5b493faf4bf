import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a function that finds a free TCP port on 127.0.0.1 among `count` ports from `first`. It does not find the same one
 * again soon; another program may still bind it first. Ports from 32768 are no good choice: the kernel assigns them to
 * connections, and a server that restarts may find its port taken.
 */
export function createPortFinder({ first, count }: { first: number; count: number }): () => Promise<number> {
  // A random start: another process starts from a different port.
  let next = randomInt(count);
  return async () => {
    for (let tries = 0; tries < count; tries += 1) {
      const port = first + next;
      next = (next + 1) % count;
      if (await isFree(port)) return port;
    }
    throw new Error(`No port from ${first} to ${first + count - 1} is free.`);
  };
}

/** A free port for a server that starts now; see {@link createPortFinder}. */
export const findFreePort = createPortFinder({ first: 24_000, count: 8_000 });

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
