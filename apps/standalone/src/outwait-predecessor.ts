import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedServerError } from "@touchstone/embedded-servers";
import { StartError } from "@touchstone/service-kit";

/** A clean stop takes about two seconds, and half a second passes until the orphan notices. */
const patienceMs = 5_000;
const everyMs = 200;

/**
 * Retries for a while when the port or the folder is in use. When a launcher is killed with -9, the process it started
 * notices and stops by itself; an immediate restart would otherwise be refused because of it.
 */
export async function outwaitPredecessor<Result>(attempt: () => Promise<Result>, onWait: () => void): Promise<Result> {
  const deadlineMs = performance.now() + patienceMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!isTaken(thrown) || performance.now() > deadlineMs) throw thrown;
      if (tries === 1) onWait();
      await sleep(everyMs);
    }
  }
}

function isTaken(thrown: unknown): boolean {
  if (thrown instanceof EmbeddedServerError) return thrown.code === "already_running";
  return thrown instanceof StartError && thrown.message.includes("already in use");
}
