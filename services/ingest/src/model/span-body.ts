import { promisify } from "node:util";
import {
  constants,
  type ZstdOptions,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";
import type { JsonText } from "./span.ts";

/**
 * The part of a span that no query reads: one blob, whose first byte is the codec and whose rest is one JSON object.
 *
 *     {"lengths":[6,0,0,0,2,0],"input":"Hi…","metadata":{}}
 *
 * The members' texts are the sender's and are never parsed, on the way in or out. `lengths` counts their UTF-8 bytes in
 * the order of {@link bodyMembers} (0 = absent), so that a response is cut from the blob without parsing it.
 */
export type SpanBody = { readonly [Member in BodyMember]: JsonText | null };

/** The members in stored order: those that lists show come first. New ones are appended; old bodies lack them. */
const bodyMembers = ["input", "output", "error", "toolCalls", "metadata", "performanceSummary"] as const;
export type BodyMember = (typeof bodyMembers)[number];

/** A body without members. */
export const emptyBody: SpanBody = {
  input: null,
  output: null,
  error: null,
  toolCalls: null,
  metadata: null,
  performanceSummary: null,
};

const plain = 0;
const zstd = 1;

/** Shorter bodies are not compressed: it would cost more time than it saves. */
const compressedFromBytes = 2048;
/** Longer texts are compressed and decompressed off the event loop; for shorter ones the transfer costs more. */
const asynchronousFromBytes = 32 * 1024;

const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Encodes a span's body as a blob. Returns a promise only for large bodies. */
export function encodeSpanBody(body: SpanBody): Buffer | Promise<Buffer> {
  const raw = encodePlainBody(body);
  if (raw.length < compressedFromBytes) return raw;
  const text = raw.subarray(1);
  if (raw.length < asynchronousFromBytes) return withCodec(zstdCompressSync(text, fast));
  // Otherwise the frame would not state its text's length, which readers of many bodies need.
  const stating: ZstdOptions & { pledgedSrcSize: number } = { ...fast, pledgedSrcSize: text.length };
  return compress(text, stating).then(withCodec);
}

/** A blob that is not compressed, for a body that is not stored. */
export function encodePlainBody(body: SpanBody): Buffer {
  const lengths: number[] = [];
  let members = "";
  for (const name of bodyMembers) {
    const text = body[name];
    lengths.push(text === null ? 0 : Buffer.byteLength(text));
    if (text !== null) members += `,"${name}":${text}`;
  }
  return Buffer.from(`\0{"lengths":[${lengths.join(",")}]${members}}`);
}

function withCodec(compressed: Buffer): Buffer {
  return Buffer.concat([Buffer.of(zstd), compressed]);
}

/** The JSON text of a blob; see {@link cutBodyMembers}. Returns a promise only for large bodies. */
export function decodeSpanBody(blob: Buffer): Buffer | Promise<Buffer> {
  const codec = blob[0];
  const rest = blob.subarray(1);
  if (codec === plain) return rest;
  if (codec !== zstd) throw new Error(`span body has the unknown codec ${codec}`);
  // One chunk of the exact length: by default the result is assembled from chunks of 16 KB.
  const stated = readStatedSize(rest) ?? pieceBytesUsual;
  const options = { chunkSize: Math.max(Math.min(stated, pieceBytesMax) + 1, pieceBytesMin) };
  const isShort = rest.length < asynchronousFromBytes && stated <= synchronousMaxBytes;
  return isShort ? zstdDecompressSync(rest, options) : decompress(rest, options);
}

/** Bytes at the beginning of a blob that state its text's length. */
export const blobHeadBytes = 20;

/** Size of a blob's text, from its head. Large blobs of earlier versions do not state it: the estimate is high. */
export function textBytesOf(head: Buffer, blobBytes: number): number {
  if (!isPacked(head)) return blobBytes - 1;
  return readStatedSize(head.subarray(1)) ?? Math.min(blobBytes * guessedRatio, guessedMax);
}

/** Far above the compression of usual texts, and more than a span can hold. */
const guessedRatio = 64;
const guessedMax = 16 * 1024 * 1024;

/** The minimum that zlib accepts. */
const pieceBytesMin = 64;
/** Used if the length is not stated. */
const pieceBytesUsual = 16 * 1024;
/** A stated length is trusted up to here; beyond, chunks are assembled. */
const pieceBytesMax = 16 * 1024 * 1024;
/** A few repetitive kilobytes may become megabytes: those are decompressed off the event loop too. */
const synchronousMaxBytes = 256 * 1024;

/** The content size stated in a zstd frame (RFC 8878, 3.1.1.1); null if absent. */
function readStatedSize(frame: Buffer): number | null {
  const descriptor = frame[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] as number);
  switch (descriptor >> 6) {
    case 0:
      return isSingleSegment ? frame.readUInt8(at) : null;
    case 1:
      return frame.readUInt16LE(at) + 256;
    case 2:
      return frame.readUInt32LE(at);
    default:
      return Number(frame.readBigUInt64LE(at));
  }
}

/**
 * The members of a decoded body up to and including `last`, as text to be spliced into a JSON object: each begins with
 * a comma. Shares the memory of `text`.
 */
export function cutBodyMembers(text: Buffer, last: BodyMember): Buffer {
  const { start, lengths } = readLengths(text);
  let end = start;
  for (const [index, name] of bodyMembers.entries()) {
    const length = lengths[index] ?? 0;
    if (length > 0) end += `,"${name}":`.length + length;
    if (name === last) break;
  }
  return text.subarray(start, end);
}

/** True if a decoded body has the member. */
export function hasBodyMember(text: Buffer, member: BodyMember): boolean {
  return (readLengths(text).lengths[bodyMembers.indexOf(member)] ?? 0) > 0;
}

/** An uncompressed blob of a decoded body's listed members: input, output, error, and these calls, else its own. */
export function listBody(text: Buffer, toolCalls: JsonText | null): Buffer {
  const { lengths } = readLengths(text);
  const listed = lengths.slice(0, bodyMembers.indexOf("toolCalls") + (toolCalls === null ? 1 : 0));
  if (toolCalls !== null) listed.push(Buffer.byteLength(toolCalls));
  return Buffer.concat([
    Buffer.from(`\0{"lengths":[${listed.join(",")}]`),
    cutBodyMembers(text, toolCalls === null ? "toolCalls" : "error"),
    Buffer.from(toolCalls === null ? "}" : `,"toolCalls":${toolCalls}}`),
  ]);
}

/** True if a blob must be decompressed to be read. */
export function isPacked(blob: Buffer): boolean {
  return blob[0] === zstd;
}

/** The length of each member of a decoded body, and the start of the first. */
function readLengths(text: Buffer): { start: number; lengths: number[] } {
  const start = text.indexOf("]") + 1;
  return { start, lengths: JSON.parse(text.toString("latin1", '{"lengths":'.length, start)) as number[] };
}

/**
 * The first bytes of a member of a decoded body, up to a limit, and whether that is all of it; null = absent. A
 * character that is cut in two becomes U+FFFD.
 */
export function readMemberStart(
  text: Buffer,
  member: BodyMember,
  bytesMax: number,
): { json: JsonText; isWhole: boolean } | null {
  const { start: first, lengths } = readLengths(text);
  let start = first;
  for (const [index, name] of bodyMembers.entries()) {
    const length = lengths[index] ?? 0;
    if (length > 0) start += `,"${name}":`.length;
    if (name === member) {
      if (length === 0) return null;
      return { json: text.toString("utf8", start, start + Math.min(length, bytesMax)), isWhole: length <= bytesMax };
    }
    start += length;
  }
  return null;
}

/** The members of a decoded body as the sender wrote them; members not requested are null. */
export function readBodyMembers(text: Buffer, wanted: readonly BodyMember[] = bodyMembers): SpanBody {
  const { start: first, lengths } = readLengths(text);
  let start = first;
  const members: Record<BodyMember, JsonText | null> = { ...emptyBody };
  for (const [index, name] of bodyMembers.entries()) {
    const length = lengths[index] ?? 0;
    if (length === 0) continue;
    start += `,"${name}":`.length;
    if (wanted.includes(name)) members[name] = text.toString("utf8", start, start + length);
    start += length;
  }
  return members;
}

/** Replaces a value that was too deep or too large to store (completions 0.1). */
export const truncationMarker = "touchstone.truncated";
