/** What a sender does after an answer that is no success (OTLP/HTTP, failures). */
const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const firstDelayMs = 1_000;
const delayMaxMs = 60_000;
/** Longer than it a collector is not believed: verdicts are kept for a day only. */
const askedDelayMaxMs = 3_600_000;

/** Whether the same may be sent again; anything else has been refused for good. */
export function isPassing(status: number): boolean {
  return passingStatuses.has(status);
}

/**
 * The pause after so many failures in a row, from 1: doubled each time up to a minute, and somewhere between half and
 * the whole of that, so that several senders do not come back together. `random` is in 0..1.
 */
export function backOff(failures: number, random: number): number {
  const delayMs = Math.min(delayMaxMs, firstDelayMs * 2 ** Math.min(failures - 1, 20));
  return Math.round(delayMs * (0.5 + random / 2));
}

/** The pause that `Retry-After` asks for, in seconds or until a date; null where it asks for none. An hour at most. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(delayMs, 0), askedDelayMaxMs);
}
