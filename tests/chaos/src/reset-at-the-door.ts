import type { Load } from "./audited-load.ts";
import type { ServiceSlot } from "./installation.ts";

/**
 * Runs `restart`, which stops a process and starts it again, and answers those lines of `load.broken` that tell of a
 * connection reset at its door meanwhile. Between a server's last look for newcomers and the closing of its port, a
 * millisecond or more on a busy machine, the kernel still completes connections, and the closing resets them. Nobody
 * has read a byte of them and no server can prevent it; clients connect again, as when a connection is refused. A
 * server that cut what it had in hand would break off one request of each writer, so a test allows one for each stop.
 */
export async function noteResets(
  slot: ServiceSlot,
  { broken }: Load,
  restart: () => Promise<unknown>,
): Promise<string[]> {
  const from = broken.length;
  await restart();
  const atItsDoor = ` at ${slot.url}: `;
  return broken.slice(from).filter((line) => line.includes(atItsDoor) && /: (ECONNRESET|UND_ERR_SOCKET) \(/.test(line));
}

/** Lines for all answers that were no success and all requests without an answer. */
export function listFailures({ answers, broken }: Load): string[] {
  const refused = answers.filter((answer) => answer !== null && answer.status > 201);
  return [...refused.map((answer) => `${answer?.status} ${answer?.text}`), ...broken];
}
