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
  latencies.sort((one, other) => one - other);
  const quantile = (q: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? Number.NaN;
  return { answered, perSecond: latencies.length / seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

/** The median; rounds are noisy and a mean follows the worst one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
