import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits for a condition that a client can see. Throws an error with its name when it does not come true in time. The
 * default is long, because the time is not part of the test and a machine may be slow.
 */
export async function waitUntil(
  condition: string,
  isTrue: () => Promise<boolean>,
  options: { timeoutMs?: number; everyMs?: number } = {},
): Promise<void> {
  const { timeoutMs = 90_000, everyMs = 50 } = options;
  const deadline = Date.now() + timeoutMs;
  let lastError: unknown;
  while (Date.now() < deadline) {
    try {
      if (await isTrue()) return;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await sleep(everyMs);
  }
  const why = lastError === undefined ? "" : ` ${lastError instanceof Error ? lastError.message : lastError}`;
  throw new Error(`Not so after ${timeoutMs} ms: ${condition}.${why}`, { cause: lastError });
}
