/** The sender's reaction to an unsuccessful response (OTLP/HTTP, failures). */
const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const firstDelayMs = 1_000;
const delayMaxMs = 60_000;
/** Longer delays of a collector are capped: verdicts are kept for only a day. */
const askedDelayMaxMs = 3_600_000;

/** True if a retry may succeed; other statuses are final. */
export function isPassing(status: number): boolean {
  return passingStatuses.has(status);
}

/**
 * The delay after a number of failures in a row, from 1: doubled each time up to a minute, and randomized between half and the
 * whole of it, so that several senders do not retry together. `random` is in 0..1.
 */
export function backOff(failures: number, random: number): number {
  const delayMs = Math.min(delayMaxMs, firstDelayMs * 2 ** Math.min(failures - 1, 20));
  return Math.round(delayMs * (0.5 + random / 2));
}

/** The delay of `Retry-After`, in seconds or until a date; null without one. An hour at most. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(delayMs, 0), askedDelayMaxMs);
}
