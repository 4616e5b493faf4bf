/**
 * A cache of composed list bodies. Decompressing the bodies of a page and collecting its tool calls is most of the cost
 * of a list, and clients request the newest page again and again.
 *
 * A key covers all inputs of a body, stored bytes by their SHA-256, so an entry is never stale, only unused. A caller
 * has just read the inputs of the entry it looks up.
 */
export interface ListedBodies {
  find(key: string): Buffer | undefined;
  keep(key: string, body: Buffer): void;
}

export interface ListedBodiesBounds {
  /** Of all bodies together; the least recently used are evicted first. */
  bytesMax: number;
  /** Larger bodies are not cached: one would evict a whole page. */
  bodyBytesMax: number;
}

/** About thirty pages of fifty. */
const usualBounds: ListedBodiesBounds = { bytesMax: 16 * 1024 * 1024, bodyBytesMax: 512 * 1024 };
/** Memory of an entry besides its body. */
const entryOverheadBytes = 500;

export function createListedBodies({ bytesMax, bodyBytesMax } = usualBounds): ListedBodies {
  // In order of last use: a Map keeps insertion order.
  const bodies = new Map<string, Buffer>();
  let bytes = 0;
  const sizeOf = (key: string, body: Buffer): number => key.length + body.length + entryOverheadBytes;

  return {
    find(key) {
      const body = bodies.get(key);
      if (body !== undefined) {
        bodies.delete(key);
        bodies.set(key, body);
      }
      return body;
    },
    keep(key, body) {
      if (bodies.has(key) || body.length > bodyBytesMax) return;
      bodies.set(key, ownMemory(body));
      bytes += sizeOf(key, body);
      for (const [oldest, dropped] of bodies) {
        if (bytes <= bytesMax) break;
        bodies.delete(oldest);
        bytes -= sizeOf(oldest, dropped);
      }
    },
  };
}

/** A short buffer is a slice of a shared block: keeping it would keep the whole block. */
function ownMemory(body: Buffer): Buffer {
  if (body.buffer.byteLength < 2 * body.length) return body;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return own;
}
