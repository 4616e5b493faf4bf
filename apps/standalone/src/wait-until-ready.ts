import { setTimeout as sleep } from "node:timers/promises";
import type { Readiness } from "@touchstone/service-kit";

const readyDeadlineMs = 60_000;
const everyMs = 25;

/**
 * Waits until everything a request needs is up; after the deadline the error names the parts that are not. The check
 * runs in the process: over HTTP it would count against the rate limit of the caller.
 */
export async function waitUntilReady(readiness: () => Promise<Readiness>): Promise<void> {
  const deadline = performance.now() + readyDeadlineMs;
  for (;;) {
    const { ready, checks } = await readiness();
    if (ready) return;
    if (performance.now() > deadline) {
      const missing = Object.entries(checks).filter(([, state]) => state !== "ok");
      throw new Error(`Not ready after a minute: ${missing.map(([name, state]) => `${name}: ${state}`).join("; ")}`);
    }
    await sleep(everyMs);
  }
}
