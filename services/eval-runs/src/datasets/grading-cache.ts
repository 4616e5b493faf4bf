import type { DatasetStore } from "./dataset-store.ts";
import { type Grading, readGrading } from "./grading.ts";

/** Characters of documents whose gradings are kept; a parsed one takes about twice that in memory. */
const cachedCharsMax = 32 * 1024 * 1024;

/** The grading of a dataset version. */
export type ReadGrading = (projectId: string, datasetId: string, version: number) => Promise<Grading>;

/**
 * Keeps the gradings used last, so that a batch need not read and parse its whole dataset. A version never changes, so
 * nothing here can be stale.
 */
export function createGradingCache(datasets: DatasetStore, charsMax = cachedCharsMax): ReadGrading {
  const kept = new Map<string, { grading: Grading; chars: number }>();
  let keptChars = 0;

  function keep(key: string, entry: { grading: Grading; chars: number }): void {
    forget(key);
    kept.set(key, entry);
    keptChars += entry.chars;
    for (const oldest of kept.keys()) {
      if (keptChars <= charsMax) break;
      forget(oldest);
    }
  }

  function forget(key: string): void {
    keptChars -= kept.get(key)?.chars ?? 0;
    kept.delete(key);
  }

  return async (projectId, datasetId, version) => {
    const key = `${projectId}/${datasetId}/${version}`;
    let entry = kept.get(key);
    if (entry === undefined) {
      const document = await datasets.readVersion(projectId, datasetId, version);
      if (document === null) throw new Error("a run names a dataset version that does not exist");
      entry = { grading: readGrading(document), chars: document.length };
    }
    // Set anew also when it was there: a Map's order is then the order of use.
    keep(key, entry);
    return entry.grading;
  };
}
