import type { IngestOutcome, ReportedOutcome } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";

/** The count of one outcome of a project's requests in one hour. */
export interface IngestCount {
  projectId: string;
  /** Its start, in epoch milliseconds. */
  hourMs: number;
  outcome: IngestOutcome;
  count: number;
  lastAtMs: number;
  example: string | null;
}

export interface IngestCounts {
  add(projectId: string, reported: ReportedOutcome): void;
  /**
   * Returns and clears the counts since the last call, and the number of requests not counted because the table was
   * full.
   */
  take(): { counts: IngestCount[]; missed: number };
  /** Adds counts that could not be stored to the current ones. */
  restore(counts: readonly IngestCount[]): void;
}

const hourMs = 3_600_000;

/**
 * Counts in memory, so that a refusal costs a lookup and an addition. There is one entry for each project, hour and
 * outcome, and at most `entriesMax` of them, about 5 MB. Requests that would need another entry are counted as missed.
 */
export function createIngestCounts({
  clock,
  entriesMax = 20_000,
}: {
  clock: Clock;
  entriesMax?: number;
}): IngestCounts {
  let entries = new Map<string, IngestCount>();
  let missed = 0;

  function merge(more: IngestCount): void {
    const key = `${more.projectId} ${more.hourMs} ${more.outcome}`;
    const entry = entries.get(key);
    if (entry !== undefined) {
      entry.count += more.count;
      if (more.lastAtMs >= entry.lastAtMs) {
        entry.lastAtMs = more.lastAtMs;
        entry.example = more.example ?? entry.example;
      }
    } else if (entries.size < entriesMax) {
      entries.set(key, more);
    } else {
      missed += 1;
    }
  }

  return {
    add(projectId, { outcome, count, example }) {
      const lastAtMs = clock.now();
      merge({ projectId, hourMs: Math.floor(lastAtMs / hourMs) * hourMs, outcome, count, lastAtMs, example });
    },
    take() {
      const taken = { counts: [...entries.values()], missed };
      entries = new Map();
      missed = 0;
      return taken;
    },
    restore(counts) {
      for (const count of counts) merge(count);
    },
  };
}
