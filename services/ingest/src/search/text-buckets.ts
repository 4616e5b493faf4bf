/** Every three consecutive characters of a text belong to one of this many buckets. */
export const bucketsMax = 65_536;

/** The bucket of three UTF-16 code units. Stored rows depend on it: it must not change. */
export function bucketOf(first: number, second: number, third: number): number {
  let hash = Math.imul(first, 0x9e3779b1) + Math.imul(second, 0x85ebca77) + Math.imul(third, 0xc2b2ae3d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 16;
}

/** The bucket that every text of a project is in, so that a search passes over what other projects store. */
export function projectBucket(projectId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < projectId.length; at += 1) hash = Math.imul(hash ^ projectId.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 13)) >>> 16;
}

/** The buckets that a text with this term in it is in, each once. None for a term of fewer than three code units. */
export function bucketsOf(term: string): number[] {
  const buckets = new Set<number>();
  for (let at = 2; at < term.length; at += 1) {
    buckets.add(bucketOf(term.charCodeAt(at - 2), term.charCodeAt(at - 1), term.charCodeAt(at)));
  }
  return [...buckets];
}
