import type { StoredDataset } from "./dataset-store.ts";

/** Thrown while a dataset is locked: it is at another version than the one that a change was made of. */
export class StaleDataset extends Error {
  override readonly name = "StaleDataset";
  readonly read: number;
  readonly current: StoredDataset;

  constructor(read: number, current: StoredDataset) {
    super(`The dataset changed since it was read: it is at version ${current.version}, not ${read}`);
    this.read = read;
    this.current = current;
  }
}

/** Throws {@link StaleDataset} unless the dataset is at the version that was read; null = whatever version it is at. */
export function requireVersion(current: StoredDataset, read: number | null): void {
  if (read !== null && current.version !== read) throw new StaleDataset(read, current);
}
