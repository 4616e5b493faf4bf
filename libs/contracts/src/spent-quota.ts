/**
 * Answer header from ingest to the gateway, on the refusal of a project that used all its traces of the day: the quota,
 * and how long it stays exhausted. Never sent to clients. See {@link formatSpentQuota}.
 *
 * A gateway that caches it may refuse the project's traces itself. It should ask again now and then: the quota may be
 * raised, and asking takes ingest no statement.
 */
export const spentQuotaHeader = "x-internal-quota-spent";

/** A project's exhausted daily quota of root traces. */
export interface SpentQuota {
  /** The quota. */
  tracesPerDay: number;
  /** Milliseconds until midnight UTC by PostgreSQL's clock, counted from the answer: no two clocks need to agree. */
  remainingMs: number;
}

export function formatSpentQuota({ tracesPerDay, remainingMs }: SpentQuota): string {
  return `${tracesPerDay};${Math.ceil(remainingMs)}`;
}

/** Null for an invalid header. */
export function parseSpentQuota(header: unknown): SpentQuota | null {
  const match = typeof header === "string" ? /^(\d{1,15});(\d{1,9})$/.exec(header) : null;
  return match === null ? null : { tracesPerDay: Number(match[1]), remainingMs: Number(match[2]) };
}

/** The message to the client (interface: The three kinds of 429; completions 1.4). */
export function traceQuotaMessage(tracesPerDay: number): string {
  return `Daily trace quota reached (${tracesPerDay}/day for this project). Quota resets at midnight UTC; raise SERVICE_QUOTA_TRACES_PER_DAY to change the ceiling.`;
}

/** `Retry-After` of that refusal on the OTLP routes (otlp 2). REST has none: retrying earlier does not help. */
export const otlpQuotaRetryAfterSeconds = 60;
