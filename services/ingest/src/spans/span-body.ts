import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
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
type BodyMember = (typeof bodyMembers)[number];

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
  return compress(text, fast).then(withCodec);
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
  return rest.length < asynchronousFromBytes ? zstdDecompressSync(rest) : decompress(rest);
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

/** A blob, not compressed, of a decoded body's input, output and error, and these calls. */
export function lendToolCalls(text: Buffer, toolCalls: JsonText): Buffer {
  const lengths = readLengths(text).lengths.slice(0, bodyMembers.indexOf("toolCalls"));
  lengths.push(Buffer.byteLength(toolCalls));
  return Buffer.concat([
    Buffer.from(`\0{"lengths":[${lengths.join(",")}]`),
    cutBodyMembers(text, "error"),
    Buffer.from(`,"toolCalls":${toolCalls}}`),
  ]);
}

/** How long each member of a decoded body is, and where the first begins. */
function readLengths(text: Buffer): { start: number; lengths: number[] } {
  const start = text.indexOf("]") + 1;
  return { start, lengths: JSON.parse(text.toString("latin1", '{"lengths":'.length, start)) as number[] };
}

/** The members of a decoded body, as the sender wrote them. */
export function readBodyMembers(text: Buffer): SpanBody {
  const { start: first, lengths } = readLengths(text);
  let start = first;
  const members: Record<BodyMember, JsonText | null> = {
    input: null,
    output: null,
    error: null,
    toolCalls: null,
    metadata: null,
    performanceSummary: null,
  };
  for (const [index, name] of bodyMembers.entries()) {
    const length = lengths[index] ?? 0;
    if (length === 0) continue;
    start += `,"${name}":`.length;
    members[name] = text.toString("utf8", start, start + length);
    start += length;
  }
  return members;
}
