import { expect } from "vitest";
import type { Load } from "./audited-load.ts";
import type { ServiceSlot } from "./installation.ts";

/**
 * Runs `restart`, which stops a process and starts it again, and returns the lines of {@link listFailures} that report
 * a connection reset by the closing port. Between a server's last accept and the closing of its port, a millisecond or
 * more on a busy machine, the kernel still completes connections, and the closing resets them. No process has read a
 * byte of them and no server can prevent it; clients connect again, as after a refused connection. If the server is a
 * service, the gateway's connection is reset: it cannot know the cause, and answers that the service is not reachable.
 * A server that cut its open requests would break one request of each writer, so a test allows one for each stop.
 */
export async function noteResets(slot: ServiceSlot, load: Load, restart: () => Promise<unknown>): Promise<string[]> {
  const from = { answers: load.answers.length, broken: load.broken.length };
  await restart();
  const meanwhile = { answers: load.answers.slice(from.answers), broken: load.broken.slice(from.broken) };
  const atItsDoor = ` at ${slot.url}: `;
  const behind = `The ${slot.name} service is not reachable; retry.`;
  return listFailures(meanwhile).filter(
    (line) =>
      (line.includes(atItsDoor) && /: (ECONNRESET|UND_ERR_SOCKET) \(/.test(line)) ||
      (line.startsWith("503 ") && line.includes(behind)),
  );
}

/** Fails with a description of every other failure. Each stop may reset one waiting request. */
export function expectOnlyResets(load: Load, reset: readonly string[], stops: number): void {
  expect(listFailures(load).sort().join("\n")).toBe(reset.toSorted().join("\n"));
  expect(reset.length, reset.join("\n")).toBeLessThanOrEqual(stops);
}

/** Lines for all unsuccessful answers and all requests without an answer. */
export function listFailures({ answers, broken }: Pick<Load, "answers" | "broken">): string[] {
  const refused = answers.filter((answer) => answer !== null && answer.status > 201);
  return [...refused.map((answer) => `${answer?.status} ${answer?.text}`), ...broken];
}
