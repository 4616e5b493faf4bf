/** One line of a file. `bytes` is null if it is too long; then it was skipped. */
export interface Line {
  /** Starts at 1. */
  number: number;
  bytes: Buffer | null;
}

const lineFeed = 0x0a;

interface Splitting {
  bytesMax: number;
  /** Receives each change in held bytes; an error from it ends the iteration. */
  hold?: (bytes: number) => void;
  /** Ends the iteration with its reason, also between lines that are not returned: a small file may inflate to millions of them. */
  signal: AbortSignal;
}

/**
 * Splits a stream of bytes into lines, without line ends. Holds one line at a time, and nothing of a line longer than
 * `bytesMax`. Empty lines are counted but not returned.
 */
export async function* splitLines(
  source: AsyncIterable<Buffer>,
  { bytesMax, hold = () => {}, signal }: Splitting,
): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let held = 0;
  let number = 1;

  const holdOnly = (bytes: number): void => {
    hold(bytes - held);
    held = bytes;
  };
  const take = (part: Buffer): void => {
    length += part.length;
    if (length > bytesMax) parts = [];
    else parts.push(part);
    holdOnly(length > bytesMax ? 0 : length);
  };
  const finish = (): Line | null => {
    const line = { number, bytes: length > bytesMax ? null : Buffer.concat(parts, length) };
    const isEmpty = line.bytes !== null && isBlank(line.bytes);
    parts = [];
    length = 0;
    number += 1;
    return isEmpty ? null : line;
  };

  for await (const chunk of source) {
    signal.throwIfAborted();
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      if (end === start && length === 0) {
        number += 1;
        start += 1;
        continue;
      }
      take(chunk.subarray(start, end));
      start = end + 1;
      const line = finish();
      if (line !== null) {
        yield line;
        signal.throwIfAborted();
      }
      holdOnly(0);
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  const last = finish();
  if (last !== null) yield last;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
