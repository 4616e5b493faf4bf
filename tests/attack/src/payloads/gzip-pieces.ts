import { gzipSync } from "node:zlib";

/** Compressed bytes and their inflated size. A gzip file may have several members in sequence. */
export interface Packed {
  zipped: Buffer;
  bytes: number;
}

/** Compresses one piece. */
export function pack(piece: string | Buffer): Packed {
  const plain = Buffer.from(piece as string);
  return { zipped: gzipSync(plain, { level: 1 }), bytes: plain.length };
}

/** Concatenates pieces. */
export function join(...parts: readonly Packed[]): Packed {
  return {
    zipped: Buffer.concat(parts.map(({ zipped }) => zipped)),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

const chunkBytes = 1024 * 1024;

/** About this many bytes of one repeated piece. */
export function packRepeated(bytes: number, piece: string | Buffer): Packed {
  const one = Buffer.from(piece as string);
  const perChunk = Math.max(1, Math.floor(chunkBytes / one.length));
  const repeated = (times: number): Packed => pack(Buffer.alloc(times * one.length, one));
  const times = Math.ceil(bytes / one.length);
  const chunk = repeated(Math.min(perChunk, times));
  const full = Array.from({ length: Math.floor(times / perChunk) }, () => chunk);
  const left = times % perChunk;
  return join(...full, ...(left > 0 ? [repeated(left)] : []));
}

/** About this many bytes of pieces that differ by their number. A piece has one byte per character. */
export function packNumbered(bytes: number, piece: (number: number) => string): Packed {
  const parts: Packed[] = [];
  let packed = 0;
  let number = 0;
  while (packed < bytes) {
    let chunk = "";
    while (chunk.length < Math.min(chunkBytes, bytes - packed)) {
      chunk += piece(number);
      number += 1;
    }
    parts.push(pack(Buffer.from(chunk, "latin1")));
    packed += chunk.length;
  }
  return join(...parts);
}
