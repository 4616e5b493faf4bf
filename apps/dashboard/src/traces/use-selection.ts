import { useCallback, useMemo, useRef, useState } from "react";
import type { TraceRow } from "./list-queries.ts";

const none: ReadonlySet<string> = new Set();

/** The ids of the selected rows. They stay selected while other rows are loaded. */
export function useSelection(rows: readonly TraceRow[]) {
  const [ids, setIds] = useState(none);
  const last = useRef<string | null>(null);
  const known = useRef(rows);
  known.current = rows;

  const toggle = useCallback((id: string, isRange = false) => {
    const range = isRange ? between(known.current, last.current, id) : [id];
    last.current = id;
    setIds((before) => {
      const isChosen = !before.has(id);
      const after = new Set(before);
      for (const each of range) {
        if (isChosen) after.add(each);
        else after.delete(each);
      }
      return after;
    });
  }, []);
  const forget = useCallback((gone: ReadonlySet<string>) => {
    setIds((before) => new Set([...before].filter((id) => !gone.has(id))));
  }, []);
  const clear = useCallback(() => setIds(none), []);

  const chosen = useMemo(() => {
    if (ids.size === 0) return "none";
    return rows.every(({ _id }) => ids.has(_id)) ? "all" : "some";
  }, [ids, rows]);
  const toggleAll = useCallback(
    () => setIds(chosen === "all" ? none : new Set(known.current.map(({ _id }) => _id))),
    [chosen],
  );
  return { ids, chosen, toggle, toggleAll, forget, clear } as const;
}

/** The ids from one row to another, inclusive; only the second if the first is missing. */
function between(rows: readonly TraceRow[], from: string | null, to: string): string[] {
  const ends = [rows.findIndex(({ _id }) => _id === from), rows.findIndex(({ _id }) => _id === to)].sort(
    (one, other) => one - other,
  );
  const [first = -1, last = -1] = ends;
  if (first === -1) return [to];
  return rows.slice(first, last + 1).map(({ _id }) => _id);
}
