/** A map of limited size; the least recently used entry is evicted first. */
export interface RecentMap<Entry> {
  get(digest: string): Entry | undefined;
  set(digest: string, entry: Entry): void;
  delete(digest: string): void;
  deleteWhere(matches: (entry: Entry) => boolean): void;
}

/** A Map keeps insertion order: a used entry is inserted again, so the first is the least recently used. */
export function createRecentMap<Entry>(entriesMax: number): RecentMap<Entry> {
  const entries = new Map<string, Entry>();
  return {
    get(digest) {
      const entry = entries.get(digest);
      if (entry !== undefined) {
        entries.delete(digest);
        entries.set(digest, entry);
      }
      return entry;
    },
    set(digest, entry) {
      entries.delete(digest);
      entries.set(digest, entry);
      const [oldest] = entries.keys();
      if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest);
    },
    delete: (digest) => entries.delete(digest),
    deleteWhere(matches) {
      for (const [digest, entry] of entries) if (matches(entry)) entries.delete(digest);
    },
  };
}
