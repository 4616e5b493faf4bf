import { type Bus, isBusError } from "@touchstone/bus";
import { compareTexts } from "@touchstone/contracts";

export interface SimilarityScope {
  projectId: string;
  organizationId: string | null;
  /** The embedding model; null = the judge's default. */
  model: string | null;
  signal: AbortSignal;
}

/** Finds a query with the same meaning. */
export interface SimilarQueryFinder {
  find(query: string, others: readonly string[]): Promise<{ query: string; similarity: number } | null>;
}

/** completions 3.3. */
const cosineMin = 0.75;
/** For all questions of one request together. */
const patienceMs = 8_000;

/**
 * Compares by meaning while that is possible: without an embedding model, without the bus, or after the timeout, all further
 * queries count as not similar, without an error (completions 3.3).
 */
export function createSimilarQueryFinder(bus: Bus, scope: SimilarityScope): SimilarQueryFinder {
  const { projectId, organizationId, model, signal } = scope;
  const deadlineMs = performance.now() + patienceMs;
  let isAvailable = true;

  async function compare(text: string, others: readonly string[]): Promise<readonly number[] | null> {
    const timeoutMs = Math.floor(deadlineMs - performance.now());
    if (timeoutMs <= 0) return null;
    try {
      const body = { projectId, organizationId, text, others: [...others], model };
      return (await bus.request(compareTexts, body, { timeoutMs, signal })).cosines;
    } catch (thrown) {
      if (signal.aborted || !isBusError(thrown)) throw thrown;
      // A text that is too long does not affect the next ones.
      if (thrown.kind === "too_large") return [];
      return null;
    }
  }

  return {
    async find(query, others) {
      if (!isAvailable || others.length === 0) return null;
      const cosines = await compare(query, others);
      isAvailable = cosines !== null;
      let found: { query: string; similarity: number } | null = null;
      for (const [index, similarity] of (cosines ?? []).entries()) {
        const other = others[index];
        if (other === undefined || similarity < cosineMin || similarity <= (found?.similarity ?? 0)) continue;
        found = { query: other, similarity };
      }
      return found;
    },
  };
}
