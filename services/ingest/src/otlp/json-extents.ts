import { OtlpDecodeError } from "./otlp-decode-error.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Bytes of one JSON value inside a body: `[start, end)`. */
export interface JsonExtent {
  start: number;
  end: number;
}

/**
 * Finds where values lie in a JSON body without building them, so that an export can be parsed span by span: parsing
 * 64 MiB in one call would hold the event loop for a third of a second. Only the grammar around values is checked
 * here; each value is checked when {@link JsonExtents.parse} builds it, and whoever passes over one must call it.
 */
export class JsonExtents {
  readonly #bytes: Buffer;
  position: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    // A byte order mark is not JSON, but some senders begin with one.
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
   * Walks the members of the object at the cursor. At each step the cursor stands before the member's value, and the
   * caller must have moved it past that value before taking the next step.
   */
  *members(): Generator<string, void, undefined> {
    this.#expect(OPEN_BRACE);
    if (this.#takes(CLOSE_BRACE)) return;
    do {
      this.#skipSpace();
      const key = this.skipValue();
      if (this.#bytes[key.start] !== QUOTE) throw malformed(key.start);
      this.#expect(COLON);
      yield this.parse(key) as string;
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

  /** Moves past the value at the cursor and says where it was. */
  skipValue(): JsonExtent {
    this.#skipSpace();
    const bytes = this.#bytes;
    const start = this.position;
    let at = start;
    let depth = 0;
    do {
      const byte = bytes[at];
      if (byte === undefined) throw malformed(at);
      if (byte === QUOTE) at = endOfString(bytes, at);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        depth += 1;
        at += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1;
        at += 1;
        if (depth < 0) throw malformed(at - 1);
      } else if (depth === 0) at = endOfLiteral(bytes, at);
      else at += 1;
    } while (depth > 0);
    this.position = at;
    return { start, end: at };
  }

  /** Builds the value of an extent; throws {@link OtlpDecodeError} when it is not JSON. */
  parse({ start, end }: JsonExtent): unknown {
    try {
      return JSON.parse(this.#bytes.toString("utf8", start, end));
    } catch (cause) {
      throw malformed(start, cause);
    }
  }

  /** Throws unless nothing but white space is left. */
  expectEnd(): void {
    this.#skipSpace();
    if (this.position < this.#bytes.length) throw malformed(this.position);
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    while (isSpace(bytes[this.position])) this.position += 1;
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

function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
    else if (byte === undefined) throw malformed(at);
  }
}

/** A number, `true`, `false` or `null`: everything up to the next mark of the grammar. At least one byte. */
function endOfLiteral(bytes: Buffer, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte !== undefined; at += 1, byte = bytes[at]) {
    if (byte === COMMA || byte === COLON || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)) break;
  }
  if (at === start) throw malformed(at);
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function malformed(position: number, cause?: unknown): OtlpDecodeError {
  return new OtlpDecodeError(`The body is not valid JSON (near byte ${position}).`, { cause });
}
