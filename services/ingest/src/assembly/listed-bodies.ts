/**
 * What lists show of rows, kept as it was composed. To unpack the bodies of a page, and to take the calls of tools out of
 * other rows for it, is most of what a list costs, and the newest page is asked for again and again.
 *
 * A key holds all that a body is composed of, the stored bytes by their SHA-256: an entry is never out of date, it is at
 * most not asked for any more. Whoever finds one has just read what it was made of.
 */
export interface ListedBodies {
  find(key: string): Buffer | undefined;
  keep(key: string, body: Buffer): void;
}

export interface ListedBodiesBounds {
  /** Of all bodies together; the least recently found go first. */
  bytesMax: number;
  /** A larger one is not kept: it would drive out a whole page. */
  bodyBytesMax: number;
}

/** Some thirty pages of fifty. */
const usualBounds: ListedBodiesBounds = { bytesMax: 16 * 1024 * 1024, bodyBytesMax: 512 * 1024 };
/** An entry beside its body. */
const entryOverheadBytes = 500;

export function createListedBodies({ bytesMax, bodyBytesMax } = usualBounds): ListedBodies {
  // In the order of their last use: a Map keeps that of insertion.
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

/** A short buffer is cut from a block that it shares with others: kept, it would keep the whole block. */
function ownMemory(body: Buffer): Buffer {
  if (body.buffer.byteLength < 2 * body.length) return body;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return own;
}
