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
 * The part of a span that no query looks into: one blob, whose first byte is the codec and whose rest is one JSON object.
 *
 *     {"lengths":[6,0,0,0,2,0],"input":"Hi…","metadata":{}}
 *
 * The members' texts are what the sender wrote and are never parsed, on the way in or out. `lengths` counts their UTF-8
 * bytes in the order of {@link bodyMembers} (0 = absent), so that an answer is cut from the blob without reading it.
 */
export type SpanBody = { readonly [Member in BodyMember]: JsonText | null };

/** The members in stored order: what a list shows comes first. New ones go to the end; old bodies lack them. */
const bodyMembers = ["input", "output", "error", "toolCalls", "metadata", "performanceSummary"] as const;
export type BodyMember = (typeof bodyMembers)[number];

/** A body in which nobody said anything. */
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

/** Shorter bodies stay as they are: there compression costs more time than it saves. */
const compressedFromBytes = 2048;
/** What is longer is compressed and decompressed off the event loop; below, the way there and back costs more. */
const asynchronousFromBytes = 32 * 1024;

const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The blob of a span's body. A promise only where the body is large. */
export function encodeSpanBody(body: SpanBody): Buffer | Promise<Buffer> {
  const raw = encodePlainBody(body);
  if (raw.length < compressedFromBytes) return raw;
  const text = raw.subarray(1);
  if (raw.length < asynchronousFromBytes) return withCodec(zstdCompressSync(text, fast));
  // Else the frame would not say how long its text is: whoever reads many has to know.
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

/** The JSON text of a blob; see {@link cutBodyMembers}. A promise only where the body is large. */
export function decodeSpanBody(blob: Buffer): Buffer | Promise<Buffer> {
  const codec = blob[0];
  const rest = blob.subarray(1);
  if (codec === plain) return rest;
  if (codec !== zstd) throw new Error(`span body has the unknown codec ${codec}`);
  // One piece of the very length: by default it would be put together from pieces of 16 KB.
  const stated = readStatedSize(rest) ?? pieceBytesUsual;
  const options = { chunkSize: Math.max(Math.min(stated, pieceBytesMax) + 1, pieceBytesMin) };
  const isShort = rest.length < asynchronousFromBytes && stated <= synchronousMaxBytes;
  return isShort ? zstdDecompressSync(rest, options) : decompress(rest, options);
}

/** Of a blob, the beginning that says how long its text is. */
export const blobHeadBytes = 20;

/** Bytes of a blob's text, told from its head. Large ones of earlier versions do not state them: they are guessed high. */
export function textBytesOf(head: Buffer, blobBytes: number): number {
  if (!isPacked(head)) return blobBytes - 1;
  return readStatedSize(head.subarray(1)) ?? Math.min(blobBytes * guessedRatio, guessedMax);
}

/** Far more than compression gains on usual texts, and more than a span can hold. */
const guessedRatio = 64;
const guessedMax = 16 * 1024 * 1024;

/** The least that zlib takes. */
const pieceBytesMin = 64;
/** Where the length is not stated. */
const pieceBytesUsual = 16 * 1024;
/** A stated length is believed up to here; beyond, pieces are put together. */
const pieceBytesMax = 16 * 1024 * 1024;
/** A few kilobytes of repetition may become megabytes: those are decompressed off the event loop too. */
const synchronousMaxBytes = 256 * 1024;

/** How long a zstd frame says its content is (RFC 8878, 3.1.1.1); null when it does not. */
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

/** Whether a decoded body has a member. */
export function hasBodyMember(text: Buffer, member: BodyMember): boolean {
  return (readLengths(text).lengths[bodyMembers.indexOf(member)] ?? 0) > 0;
}

/** A blob, not compressed, of what lists show of a decoded body: input, output, error, and these calls, else its own. */
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

/** Whether a blob has to be unpacked to be read. */
export function isPacked(blob: Buffer): boolean {
  return blob[0] === zstd;
}

/** How long each member of a decoded body is, and where the first begins. */
function readLengths(text: Buffer): { start: number; lengths: number[] } {
  const start = text.indexOf("]") + 1;
  return { start, lengths: JSON.parse(text.toString("latin1", '{"lengths":'.length, start)) as number[] };
}

/**
 * The first bytes of a member of a decoded body, as many as are asked for, and whether that is all of it; null = absent.
 * A character that is cut in two becomes U+FFFD.
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

/** The members of a decoded body, as the sender wrote them; those that are not wanted are null. */
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

/** Stands where a value was too deep or too large to keep (completions 0.1). */
export const truncationMarker = "touchstone.truncated";
