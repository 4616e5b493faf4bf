/** The state of a subject's counter. */
export interface LocalCount {
  /** Requests in its window, including this one. */
  counted: number;
  /** Whole milliseconds until its window ends, at most its length. */
  leftMs: number;
}

/** Counts requests of subjects in this process, each in separate windows. */
export interface LocalCounter {
  count(subject: string): LocalCount;
}

/** Number of counters shared by subjects that come when the table is full. */
const sharedCounters = 1_000;

/**
 * Holds at most `subjectsMax` counters and {@link sharedCounters} more: a client with many addresses must not fill the
 * memory. When it is full, new subjects share counters, each with the limit of one: they are refused early rather than
 * let through uncounted, and existing subjects keep their counters.
 */
export function createLocalCounter(options: {
  windowMs: number;
  subjectsMax: number;
  /** A monotonic clock. */
  nowMs?: () => number;
}): LocalCounter {
  const { windowMs, subjectsMax, nowMs = () => performance.now() } = options;
  // Ordered by the end of their windows, as all have one length.
  const own = new Map<string, Window>();
  const shared = new Map<string, Window>();

  return {
    count(subject) {
      // Whole numbers: with fractions `(now + windowMs) - now` may be more than `windowMs`.
      const now = Math.floor(nowMs());
      forgetEnded(own, now);
      forgetEnded(shared, now);
      const isRoom = own.has(subject) || own.size < subjectsMax;
      const window = isRoom ? openWindow(own, subject, now + windowMs) : openShared(subject, now + windowMs);
      window.counted += 1;
      return { counted: window.counted, leftMs: window.endsAtMs - now };
    },
  };

  function openShared(subject: string, endsAtMs: number): Window {
    return openWindow(shared, String(hash(subject) % sharedCounters), endsAtMs);
  }
}

interface Window {
  counted: number;
  endsAtMs: number;
}

function openWindow(windows: Map<string, Window>, key: string, endsAtMs: number): Window {
  const open = windows.get(key);
  if (open !== undefined) return open;
  const begun = { counted: 0, endsAtMs };
  windows.set(key, begun);
  return begun;
}

/** Each is removed once, so a request pays for about one. */
function forgetEnded(windows: Map<string, Window>, now: number): void {
  for (const [key, { endsAtMs }] of windows) {
    if (endsAtMs > now) return;
    windows.delete(key);
  }
}

/** FNV-1a: the distribution only has to use all counters. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
