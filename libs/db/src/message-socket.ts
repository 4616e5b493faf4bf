import { Socket } from "node:net";

/** A type byte, and the length of the rest of the message with itself. */
const headerBytes = 5;
const usualBytes = 64 * 1024;
/** Memory for a longer message grows with what has arrived: its length may be the text of a server of another kind. */
const trustedBytes = 32 * 1024 * 1024;

/**
 * A socket to PostgreSQL that emits whole messages only. The parser of pg collects a long message in buffers that double: a
 * document of ten megabytes took fifty megabytes of them, and V8 collected garbage for each. Here it is read into one buffer of its
 * length, and short messages into a buffer that is used again. What is emitted is valid until the listener returns; the
 * parser makes strings of it.
 */
export function createMessageSocket(): Socket {
  const usual = Buffer.allocUnsafeSlow(usualBytes);
  let buffer: Buffer = usual;
  let filled = 0;

  const socket = new Socket({
    onread: {
      buffer: () => buffer.subarray(filled),
      callback(bytes) {
        filled += bytes;
        const end = endOfWholeMessages(buffer, filled);
        if (end > 0) socket.emit("data", buffer.subarray(0, end));
        // The message goes on where it is.
        if (end === 0 && filled < buffer.length) return true;
        const rest = buffer.subarray(end, filled);
        buffer = bufferFor(rest);
        rest.copy(buffer);
        filled = rest.length;
        return true;
      },
    },
  });

  /** A buffer in which the message that begins with `rest` can go on. */
  function bufferFor(rest: Buffer): Buffer {
    const bytes = rest.length < headerBytes ? headerBytes : lengthOfMessage(rest, 0);
    if (bytes <= usualBytes) return usual;
    return Buffer.allocUnsafeSlow(Math.min(bytes, Math.max(trustedBytes, 2 * rest.length)));
  }

  return socket;
}

function lengthOfMessage(buffer: Buffer, at: number): number {
  return 1 + buffer.readUInt32BE(at + 1);
}

function endOfWholeMessages(buffer: Buffer, filled: number): number {
  let at = 0;
  while (at + headerBytes <= filled) {
    const next = at + lengthOfMessage(buffer, at);
    if (next > filled) break;
    at = next;
  }
  return at;
}
