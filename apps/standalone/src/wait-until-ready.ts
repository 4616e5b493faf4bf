import { setTimeout as sleep } from "node:timers/promises";

const readyDeadlineMs = 60_000;
const everyMs = 25;

/** Waits until the gateway reports that every part is ready; past the deadline the error names the parts that are not. */
export async function waitUntilReady(address: string): Promise<void> {
  const deadline = performance.now() + readyDeadlineMs;
  for (;;) {
    const response = await fetch(`${address}/health/ready`);
    if (response.status === 200) {
      await response.body?.cancel();
      return;
    }
    const { checks } = (await response.json()) as { checks?: Record<string, string> };
    if (performance.now() > deadline) {
      const missing = Object.entries(checks ?? {}).filter(([, state]) => state !== "ok");
      throw new Error(`Not ready after a minute: ${missing.map(([name, state]) => `${name}: ${state}`).join("; ")}`);
    }
    await sleep(everyMs);
  }
}
