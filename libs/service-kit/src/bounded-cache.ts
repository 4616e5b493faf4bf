/** Keeps the most recently used values, up to `charsMax` characters of the texts they were read from. */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value, chars: number): void;
}

export function createBoundedCache<Value>(charsMax: number): BoundedCache<Value> {
  const kept = new Map<string, { value: Value; chars: number }>();
  let keptChars = 0;

  function forget(key: string): void {
    keptChars -= kept.get(key)?.chars ?? 0;
    kept.delete(key);
  }

  return {
    get(key) {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      // Reinserted, so that the Map's order is the order of use.
      kept.delete(key);
      kept.set(key, entry);
      return entry.value;
    },
    set(key, value, chars) {
      forget(key);
      kept.set(key, { value, chars });
      keptChars += chars;
      for (const oldest of kept.keys()) {
        if (keptChars <= charsMax) break;
        forget(oldest);
      }
    },
  };
}
