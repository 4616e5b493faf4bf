/** The chunk size of a stream of many small parts: each chunk is a separate write, here and in the gateway. */
const chunkBytes = 128 * 1024;

/**
 * The parts of an answer as chunks of a suitable size. Small parts are joined; a long one is not copied but split,
 * because writing ten megabytes at once blocks the event loop.
 */
export async function* gatherChunks(groups: AsyncIterable<readonly Buffer[]>): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const group of groups) {
    for (const part of group) {
      const isLong = part.length >= chunkBytes;
      if (!isLong) {
        parts.push(part);
        bytes += part.length;
      }
      if (isLong ? bytes > 0 : bytes >= chunkBytes) {
        yield Buffer.concat(parts, bytes);
        parts = [];
        bytes = 0;
      }
      if (!isLong) continue;
      for (let at = 0; at < part.length; at += chunkBytes) yield part.subarray(at, at + chunkBytes);
    }
  }
  if (bytes > 0) yield Buffer.concat(parts, bytes);
}
