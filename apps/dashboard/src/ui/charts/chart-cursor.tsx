import { createContext, type ReactNode, useContext, useState } from "react";

type Cursor = [number | null, (index: number | null) => void];

const Context = createContext<Cursor | null>(null);

/** The charts inside share one cursor: pointing at a time in one shows that time in all. */
export function ChartCursor({ children }: { children: ReactNode }) {
  const cursor = useState<number | null>(null);
  return <Context value={cursor}>{children}</Context>;
}

/** The index of the point under the cursor, of the group where there is one. */
export function useChartCursor(): Cursor {
  const own = useState<number | null>(null);
  return useContext(Context) ?? own;
}
