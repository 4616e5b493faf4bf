const headerBytes = 4;

/** One message on a pipe: its length in bytes as a big-endian number of 32 bits, then its UTF-8. */
export function encodeFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame.writeUInt32BE(length, 0);
  frame.write(text, headerBytes);
  return frame;
}

/** A frame declared a length over the limit. */
export class FrameTooLargeError extends Error {
  override readonly name = "FrameTooLargeError";
}

/**
 * Assembles frames from a pipe. Its buffer is bounded by `maxBytes`: a longer frame throws {@link FrameTooLargeError} as soon
 * as its length is known, and the reader is unusable afterwards.
 */
export function createFrameReader(maxBytes: number): (chunk: Buffer) => string[] {
  let chunks: Buffer[] = [];
  let kept = 0;
  let wanted = headerBytes;

  return function readFrames(chunk) {
    chunks.push(chunk);
    kept += chunk.length;
    const frames: string[] = [];
    while (kept >= wanted) {
      const whole = Buffer.concat(chunks);
      const length = whole.readUInt32BE(0);
      if (length > maxBytes) throw new FrameTooLargeError(`a frame of ${length} bytes`);
      const end = headerBytes + length;
      if (whole.length < end) {
        wanted = end;
        chunks = [whole];
        break;
      }
      frames.push(whole.toString("utf8", headerBytes, end));
      chunks = [whole.subarray(end)];
      kept = whole.length - end;
      wanted = headerBytes;
    }
    return frames;
  };
}
