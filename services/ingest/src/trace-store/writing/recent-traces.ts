import type { ProjectRow } from "../../model/span-row.ts";

/** Which traces this process wrote to lately: a guess at which are new, that costs one more try where it is wrong. */
export interface RecentTraces {
  /** Whether none of the rows' traces is known; from now on they all are. */
  areNew(rows: readonly ProjectRow[]): boolean;
}

/** Traces remembered, at least; twice as many at most. */
const remembered = 20_000;

export function createRecentTraces(): RecentTraces {
  let newer = new Set<string>();
  let older = new Set<string>();
  return {
    areNew(rows) {
      const keys = new Set<string>();
      for (const { row } of rows) if (row.traceKey !== null) keys.add(row.traceKey);
      let areNew = true;
      for (const key of keys) {
        if (newer.has(key) || older.has(key)) areNew = false;
        newer.add(key);
      }
      if (newer.size >= remembered) {
        older = newer;
        newer = new Set();
      }
      return areNew;
    },
  };
}
