/** The result of a closed loop: every client sends its next request when the last one was answered. */
export interface Measurement {
  perSecond: number;
  /** All answered requests, including the warm-up's. */
  answered: number;
  p50Ms: number;
  p99Ms: number;
}

/** Runs `clients` loops over `once` for `seconds`, after a short warm-up that does not count. */
export async function measureClosedLoop(options: {
  clients: number;
  seconds: number;
  once: (client: number) => Promise<void>;
}): Promise<Measurement> {
  const { clients, seconds, once } = options;
  const warmUpMs = 300;
  const startMs = performance.now() + warmUpMs;
  const endMs = startMs + seconds * 1000;
  const latencies: number[] = [];
  let answered = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let sentMs = performance.now(); sentMs < endMs; sentMs = performance.now()) {
        await once(client);
        answered += 1;
        if (sentMs >= startMs) latencies.push(performance.now() - sentMs);
      }
    }),
  );
  return { answered, perSecond: latencies.length / seconds, ...quantiles(latencies) };
}

/** Runs `clients` loops over `once` until `count` requests were answered. Each gets its number, from 0. */
export async function measureCount(options: {
  clients: number;
  count: number;
  once: (client: number, number: number) => Promise<void>;
}): Promise<Measurement> {
  const { clients, count, once } = options;
  const startMs = performance.now();
  const latencies: number[] = [];
  let sent = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (sent < count) {
        const number = sent;
        sent += 1;
        const sentMs = performance.now();
        await once(client, number);
        latencies.push(performance.now() - sentMs);
      }
    }),
  );
  return { answered: count, perSecond: (count * 1_000) / (performance.now() - startMs), ...quantiles(latencies) };
}

function quantiles(latencies: readonly number[]): { p50Ms: number; p99Ms: number } {
  const sorted = [...latencies].sort((one, other) => one - other);
  const quantile = (q: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

/** The median; rounds are noisy and a mean follows the worst one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
