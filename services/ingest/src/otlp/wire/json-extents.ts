import { parseExtent } from "./export-item.ts";
import { OtlpDecodeError } from "./otlp-decode-error.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Bytes of a value that are skipped between two pauses: about a quarter of a millisecond. */
const bytesBetweenPauses = 256 * 1024;
/** A longer value is skipped with pauses, and its values are counted. */
const shortBytesMax = 16 * 1024;
/** Longest name, and longest white space between two tokens. */
const gapBytesMax = 1024 * 1024;

/** Bytes of one JSON value inside a body: `[start, end)`. */
export interface JsonExtent {
  start: number;
  end: number;
  /** Members and items in it at all levels, plus one for each empty container; 0 for a short value. */
  values: number;
}

/** A long value that is being skipped. */
interface Scan {
  depth: number;
  values: number;
  isInText: boolean;
}

/**
 * Finds the positions of values in a JSON body without parsing them, so that an export can be parsed span by span:
 * parsing 64 MiB in one call would block the event loop for a third of a second, and sixty million bytes of empty
 * objects take two gigabytes. Only the grammar around values is checked here; {@link JsonExtents.parse} checks each
 * value, and a caller that skips one must call it.
 */
export class JsonExtents {
  readonly #bytes: Buffer;
  position: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    // A byte order mark is not JSON, but some senders write one.
    this.position = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  /** The kind of the value at the cursor, by its first byte. */
  peek(): "object" | "array" | "scalar" {
    this.#skipSpace();
    const byte = this.#bytes[this.position];
    if (byte === OPEN_BRACE) return "object";
    return byte === OPEN_BRACKET ? "array" : "scalar";
  }

  /**
   * Walks the members of the object at the cursor. At each step the cursor is before the member's value, and the caller
   * must move it past that value before the next step.
   */
  *members(): Generator<string, void, undefined> {
    this.#expect(OPEN_BRACE);
    if (this.#takes(CLOSE_BRACE)) return;
    do {
      const name = this.#readName();
      this.#expect(COLON);
      yield name;
    } while (this.#takes(COMMA));
    this.#expect(CLOSE_BRACE);
  }

  /** Walks the elements of the array at the cursor, under the same contract as {@link JsonExtents.members}. */
  *elements(): Generator<void, void, undefined> {
    this.#expect(OPEN_BRACKET);
    if (this.#takes(CLOSE_BRACKET)) return;
    do yield;
    while (this.#takes(COMMA));
    this.#expect(CLOSE_BRACKET);
  }

  /** Skips the value at the cursor and returns its position; null marks a pause within a long one. */
  *skipValue(): Generator<null, JsonExtent, undefined> {
    return this.skipShort() ?? (yield* this.skipLong());
  }

  /**
   * The same without pauses for a short value, whose `values` are not counted; null for a long one, where the cursor
   * stays.
   */
  skipShort(): JsonExtent | null {
    this.#skipSpace();
    const start = this.position;
    const end = endOfShort(this.#bytes, start);
    if (end < 0) return null;
    this.position = end;
    return { start, end, values: 0 };
  }

  *skipLong(): Generator<null, JsonExtent, undefined> {
    this.#skipSpace();
    const start = this.position;
    const scan: Scan = { depth: 0, values: 0, isInText: false };
    while (!this.#scanOn(scan, this.position + bytesBetweenPauses)) yield null;
    return { start, end: this.position, values: scan.values };
  }

  /** Parses the value of an extent; throws {@link OtlpDecodeError} if it is not JSON. */
  parse({ start, end }: Pick<JsonExtent, "start" | "end">): unknown {
    try {
      return parseExtent(this.#bytes, start, end);
    } catch (cause) {
      throw malformed(start, cause);
    }
  }

  /** Throws unless only white space is left. */
  expectEnd(): void {
    this.#skipSpace();
    if (this.position < this.#bytes.length) throw malformed(this.position);
  }

  #readName(): string {
    this.#skipSpace();
    const start = this.position;
    if (this.#bytes[start] !== QUOTE) throw malformed(start);
    const quote = findQuote(this.#bytes, start + 1, start + gapBytesMax);
    if (quote >= start + gapBytesMax) throw new OtlpDecodeError(`The body holds a name of over ${gapBytesMax} bytes.`);
    this.position = quote + 1;
    return this.parse({ start, end: this.position }) as string;
  }

  /** Continues a scan to `until` or slightly beyond; returns true if the value has ended. */
  #scanOn(scan: Scan, until: number): boolean {
    const bytes = this.#bytes;
    let at = this.position;
    let { depth, values, isInText } = scan;
    do {
      const byte = bytes[at];
      if (isInText || byte === QUOTE) {
        at = findQuote(bytes, isInText ? at : at + 1, until);
        isInText = at >= until;
        if (!isInText) at += 1;
      } else if (byte === COMMA && depth > 0) {
        values += 1;
        at += 1;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        depth += 1;
        values += 1;
        at += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1;
        at += 1;
      } else if (byte === undefined) throw malformed(at);
      else if (depth === 0) at = endOfLiteral(bytes, at);
      else at += 1;
    } while ((depth > 0 || isInText) && at < until);
    if (depth < 0) throw malformed(at - 1);
    this.position = at;
    Object.assign(scan, { depth, values, isInText });
    return depth === 0 && !isInText;
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    const start = this.position;
    while (isSpace(bytes[this.position])) {
      this.position += 1;
      if (this.position - start > gapBytesMax) {
        throw new OtlpDecodeError(`The body holds more than ${gapBytesMax} bytes of white space in one place.`);
      }
    }
  }

  #takes(wanted: number): boolean {
    this.#skipSpace();
    if (this.#bytes[this.position] !== wanted) return false;
    this.position += 1;
    return true;
  }

  #expect(wanted: number): void {
    if (!this.#takes(wanted)) throw malformed(this.position);
  }
}

/** The end of a value of up to {@link shortBytesMax}; -1 for a longer one. Most values end here, in half the time. */
function endOfShort(bytes: Buffer, start: number): number {
  const until = start + shortBytesMax;
  let at = start;
  let depth = 0;
  do {
    const byte = bytes[at];
    if (byte === QUOTE) at = findQuote(bytes, at + 1, until) + 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      at += 1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      at += 1;
      if (depth < 0) throw malformed(at - 1);
    } else if (byte === undefined) throw malformed(at);
    else if (depth === 0) at = endOfLiteral(bytes, at);
    else at += 1;
    if (at > until) return -1;
  } while (depth > 0);
  return at;
}

/** The position of the quote that ends the text around `start`; `until` or later if there is none before it. */
function findQuote(bytes: Buffer, start: number, until: number): number {
  let at = start;
  for (; at < until; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
    else if (byte === undefined) throw malformed(at);
  }
  return at;
}

/** A number, `true`, `false` or `null`: everything up to the next token. At least one byte. */
function endOfLiteral(bytes: Buffer, start: number): number {
  const longest = start + gapBytesMax;
  let at = start;
  for (let byte = bytes[at]; byte !== undefined && at < longest; at += 1, byte = bytes[at]) {
    if (byte === COMMA || byte === COLON || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)) break;
  }
  if (at === start) throw malformed(at);
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The error that rejects the whole body. */
export function malformed(position: number, cause?: unknown): OtlpDecodeError {
  return new OtlpDecodeError(`The body is not valid JSON (near byte ${position}).`, { cause });
}
