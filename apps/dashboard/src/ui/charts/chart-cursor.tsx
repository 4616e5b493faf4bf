import { createContext, type ReactNode, useContext, useState } from "react";

type Cursor = [number | null, (index: number | null) => void];

const Context = createContext<Cursor | null>(null);

/** Shares one cursor among the charts inside: a time under the pointer in one is marked in all. */
export function ChartCursor({ children }: { children: ReactNode }) {
  const cursor = useState<number | null>(null);
  return <Context value={cursor}>{children}</Context>;
}

/** The index of the point under the cursor, shared within a group. */
export function useChartCursor(): Cursor {
  const own = useState<number | null>(null);
  return useContext(Context) ?? own;
}
