import type { Loss, PageEntry, Refusal } from "./journal.ts";

/** What was done with the rows of a page. */
export type Done = Omit<PageEntry, "stream" | "next">;

/** A {@link Done} that grows. */
export interface Doing {
  rows: Done["rows"][number][];
  refused: Refusal[];
  lost: Loss[];
  names: Record<string, string>;
}

export const newDone = (): Doing => ({ rows: [], refused: [], lost: [], names: {} });
