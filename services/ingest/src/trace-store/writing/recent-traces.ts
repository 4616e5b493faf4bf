import type { ProjectRow } from "../../model/span-row.ts";

/** The traces that this process wrote to recently, to guess which are new. A wrong guess costs another attempt. */
export interface RecentTraces {
  /** True if none of the rows' traces is known; then remembers them. */
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
