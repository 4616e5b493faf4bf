import type { Database } from "@touchstone/db";

const dayMs = 24 * 60 * 60 * 1000;
/** Partitions are created for this week and this many after it. */
const weeksAhead = 2;

/** The weekly partitions of the table of spans. The maintenance role creates them; an id identifies its partition. */
export interface SpanPartitionStore {
  /** Creates missing partitions for these instants (epoch milliseconds). Returns how many were missing. */
  makeFor(instantsMs: readonly number[]): Promise<number>;
  /** The same for this week and the next ones. */
  makeAhead(nowMs: number): Promise<number>;
}

export function createSpanPartitionStore(maintenance: Database): SpanPartitionStore {
  async function makeFor(instantsMs: readonly number[]): Promise<number> {
    const weeks = new Set(instantsMs.map((atMs) => isoWeek(atMs)));
    let made = 0;
    for (const week of [...weeks].sort((left, right) => left - right)) {
      const { rows } = await maintenance.query<{ made: boolean }>({
        // Of concurrent callers exactly one creates it. Fails as store_unavailable while a long query runs.
        name: "spans_partition_make",
        text: "select ingest.make_spans_partition($1::date) as made",
        values: [new Date(week * 7 * dayMs + mondayMs).toISOString().slice(0, 10)],
      });
      if (rows[0]?.made) made += 1;
    }
    return made;
  }

  return {
    makeFor,
    makeAhead: (nowMs) => makeFor(Array.from({ length: weeksAhead + 1 }, (_, weeks) => nowMs + weeks * 7 * dayMs)),
  };
}

/** 1970-01-05 was the first Monday after the epoch. */
const mondayMs = 4 * dayMs;

function isoWeek(atMs: number): number {
  return Math.floor((atMs - mondayMs) / (7 * dayMs));
}
