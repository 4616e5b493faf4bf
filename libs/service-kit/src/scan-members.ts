import { limits } from "@touchstone/contracts/limits";
import { AppError } from "./app-error.ts";
import { runAtOnce, type Sliced } from "./run-in-slices.ts";

/** The type of a JSON value, in the words of validation messages. */
export type JsonType = "object" | "array" | "string" | "number" | "boolean" | "null";

/** One JSON value as a slice of its text, byte for byte as the sender wrote it. */
export interface JsonSlice {
  text: string;
  type: JsonType;
  /** How many containers nest in it: 0 for a scalar, 1 for `[]`, 2 for `[[]]`. */
  depth: number;
}

/** The text is not JSON, or has too many members. The message may be shown to the sender. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** Answers a body that is not JSON with 400. Throws anything but a {@link JsonSyntaxError} unchanged. */
export function refuseBadJson(cause: unknown): never {
  if (!(cause instanceof JsonSyntaxError)) throw cause;
  throw new AppError("body_unreadable", cause.message, { cause });
}

/** The members of a JSON object by their keys; `members` is null if the text is another JSON value. */
export interface ScannedObject {
  type: JsonType;
  members: ReadonlyMap<string, JsonSlice> | null;
}

/**
 * Splits a JSON object into the raw texts of its members, in one pass and without parsing them: what `JSON.parse` and
 * `JSON.stringify` would lose (`1e400`, `-0`, integers over 2^53, `\u0000`, lone surrogates, `__proto__`) stays as it
 * was sent (decision 6). Accepts exactly what `JSON.parse` accepts; of a repeated key it keeps the last, like
 * `JSON.parse`. Does not recurse: a body may nest a million deep.
 * `isStored`: the text was validated before, so strings are not checked, which takes a tenth of the time. Otherwise an
 * object of more than `limits.jsonMembersMax` members throws.
 */
export function scanMembers(text: string, options: ScanOptions = {}): ScannedObject {
  return runAtOnce(scanMembersInSlices(text, options));
}

/**
 * As {@link scanMembers}, with points to pause: ten megabytes of brackets take a tenth of a second. `only`: the other
 * members are skipped, so that millions of them take no memory.
 */
export function* scanMembersInSlices(
  text: string,
  { isStored = false, only }: ScanOptions & { only?: readonly string[] } = {},
): Sliced<ScannedObject> {
  const cursor = startCursor(text, isStored);
  skipWhitespace(cursor);
  if (text.charCodeAt(cursor.at) !== openBrace) {
    const type = typeAt(cursor);
    while (!skipSlice(cursor)) yield;
    expectEnd(cursor);
    return { type, members: null };
  }
  const members = new Map<string, JsonSlice>();
  cursor.at += 1;
  skipWhitespace(cursor);
  if (text.charCodeAt(cursor.at) === closeBrace) cursor.at += 1;
  else {
    let pausedAt = cursor.at;
    for (;;) {
      const keyStart = cursor.at;
      skipString(cursor);
      const rawKey = text.slice(keyStart, cursor.at);
      const key = rawKey.includes("\\") ? (JSON.parse(rawKey) as string) : rawKey.slice(1, -1);
      skipWhitespace(cursor);
      expect(cursor, colon);
      skipWhitespace(cursor);
      const start = cursor.at;
      const type = typeAt(cursor);
      while (!skipSlice(cursor)) yield;
      if (only === undefined || only.includes(key)) {
        members.set(key, { text: text.slice(start, cursor.at), type, depth: cursor.deepest });
      }
      requireFew(cursor, members.size, "members");
      skipWhitespace(cursor);
      if (text.charCodeAt(cursor.at) !== comma) break;
      cursor.at += 1;
      skipWhitespace(cursor);
      if (cursor.at - pausedAt > sliceLength) {
        yield;
        pausedAt = cursor.at;
      }
    }
    expect(cursor, closeBrace);
  }
  expectEnd(cursor);
  return { type: "object", members };
}

/**
 * Splits a JSON array into the raw texts of its elements; null if the text is another JSON value. `isStored` as above.
 */
export function scanElements(text: string, options: ScanOptions = {}): JsonSlice[] | null {
  const cursor = startCursor(text, options.isStored === true);
  skipWhitespace(cursor);
  if (text.charCodeAt(cursor.at) !== openBracket) return null;
  return [...walkElements(text, options)].filter((element) => element !== undefined);
}

/**
 * The elements of a JSON array one after the other, for readers that may stop early; undefined is a point to pause.
 * None of another JSON value. `isStored` as above.
 */
export function* walkElements(
  text: string,
  { isStored = false }: ScanOptions = {},
): Generator<JsonSlice | undefined, void, undefined> {
  const cursor = startCursor(text, isStored);
  skipWhitespace(cursor);
  if (text.charCodeAt(cursor.at) !== openBracket) return;
  cursor.at += 1;
  skipWhitespace(cursor);
  if (text.charCodeAt(cursor.at) === closeBracket) cursor.at += 1;
  else {
    let pausedAt = cursor.at;
    for (let count = 1; ; count += 1) {
      const start = cursor.at;
      const type = typeAt(cursor);
      while (!skipSlice(cursor)) yield undefined;
      requireFew(cursor, count, "items");
      yield { text: text.slice(start, cursor.at), type, depth: cursor.deepest };
      skipWhitespace(cursor);
      if (text.charCodeAt(cursor.at) !== comma) break;
      cursor.at += 1;
      skipWhitespace(cursor);
      if (cursor.at - pausedAt > elementsLength) {
        yield undefined;
        pausedAt = cursor.at;
      }
    }
    expect(cursor, closeBracket);
  }
  expectEnd(cursor);
}

interface ScanOptions {
  isStored?: boolean;
}

/** Characters between two points to pause: less than a millisecond of brackets. */
const sliceLength = 32_768;
/** The same between elements, since a reader works on each of them. */
const elementsLength = 4_096;

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

function requireFew({ isStored }: Cursor, count: number, what: "members" | "items"): void {
  if (isStored || count <= limits.jsonMembersMax) return;
  throw new JsonSyntaxError(`The JSON holds more than ${limits.jsonMembersMax} ${what} in one place`);
}

interface Cursor {
  readonly text: string;
  readonly isStored: boolean;
  at: number;
  /** How many containers of the value that is being skipped are open, and how many were at most. */
  open: number;
  deepest: number;
  /** A value inside it has just ended, and what follows it was not read yet. */
  isClosing: boolean;
  /** One entry for each open container: its closing character. Grows by doubling. */
  closers: Uint8Array;
}

function startCursor(text: string, isStored: boolean): Cursor {
  return { text, isStored, at: 0, open: 0, deepest: 0, isClosing: false, closers: new Uint8Array(64) };
}

function typeAt({ text, at }: Cursor): JsonType {
  switch (text.charCodeAt(at)) {
    case openBrace:
      return "object";
    case openBracket:
      return "array";
    case quote:
      return "string";
    case 0x74:
    case 0x66:
      return "boolean";
    case 0x6e:
      return "null";
    default:
      return "number";
  }
}

/**
 * Skips one value, or goes on with it, and returns whether it has ended; `cursor.deepest` is then how deep it nests.
 * Returns early after a slice of the text.
 */
function skipSlice(cursor: Cursor): boolean {
  const { text } = cursor;
  const pauseAt = cursor.at + sliceLength;
  let { open, isClosing } = cursor;
  if (open === 0) cursor.deepest = 0;
  for (;;) {
    if (cursor.at > pauseAt && open > 0) {
      cursor.open = open;
      cursor.isClosing = isClosing;
      return false;
    }
    if (!isClosing) {
      const code = text.charCodeAt(cursor.at);
      if (code === openBrace || code === openBracket) {
        const closer = code + 2;
        if (open === cursor.closers.length) cursor.closers = grow(cursor.closers);
        cursor.closers[open] = closer;
        open += 1;
        if (open > cursor.deepest) cursor.deepest = open;
        cursor.at += 1;
        skipWhitespace(cursor);
        if (text.charCodeAt(cursor.at) !== closer) {
          if (code === openBrace) skipKey(cursor);
          continue;
        }
      } else skipScalar(cursor, code);
    }

    // A value has ended, and with it maybe the container that holds it; otherwise a comma and the next value follow.
    isClosing = false;
    if (open > 0) {
      skipWhitespace(cursor);
      if (text.charCodeAt(cursor.at) === cursor.closers[open - 1]) {
        cursor.at += 1;
        open -= 1;
        isClosing = true;
      }
    }
    if (open === 0) {
      cursor.open = 0;
      cursor.isClosing = false;
      return true;
    }
    if (isClosing) continue;
    expect(cursor, comma);
    skipWhitespace(cursor);
    if (cursor.closers[open - 1] === closeBrace) skipKey(cursor);
  }
}

function grow(closers: Uint8Array): Uint8Array {
  const larger = new Uint8Array(closers.length * 2);
  larger.set(closers);
  return larger;
}

function skipKey(cursor: Cursor): void {
  skipString(cursor);
  skipWhitespace(cursor);
  expect(cursor, colon);
  skipWhitespace(cursor);
}

function skipScalar(cursor: Cursor, code: number): void {
  if (code === quote) skipString(cursor);
  else if (code === minus || (code >= zero && code <= nine)) skipNumber(cursor);
  else if (code === 0x74) skipWord(cursor, "true");
  else if (code === 0x66) skipWord(cursor, "false");
  else if (code === 0x6e) skipWord(cursor, "null");
  else fail(cursor);
}

function skipWord(cursor: Cursor, word: string): void {
  if (!cursor.text.startsWith(word, cursor.at)) fail(cursor);
  cursor.at += word.length;
}

function skipString(cursor: Cursor): void {
  const { text } = cursor;
  expect(cursor, quote);
  if (cursor.isStored) {
    cursor.at = closingQuote(text, cursor.at) + 1;
    return;
  }
  let at = cursor.at;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === quote) break;
    if (code === backslash) {
      cursor.at = at;
      at += escapeLength(cursor);
      continue;
    }
    // Control characters, and NaN past the end of the text.
    if (!(code >= 0x20)) {
      cursor.at = at;
      fail(cursor);
    }
    at += 1;
  }
  cursor.at = at + 1;
}

/** The end of the string whose first character is at `from`: the first quote that is not escaped. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text.charCodeAt(at - 1) === backslash && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 1;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}

function escapeLength(cursor: Cursor): number {
  const escaped = cursor.text.charAt(cursor.at + 1);
  if (escaped !== "" && '"\\/bfnrt'.includes(escaped)) return 2;
  if (escaped === "u" && /^[0-9a-fA-F]{4}$/.test(cursor.text.slice(cursor.at + 2, cursor.at + 6))) return 6;
  cursor.at += 1;
  return fail(cursor);
}

function skipNumber(cursor: Cursor): void {
  const { text } = cursor;
  if (text.charCodeAt(cursor.at) === minus) cursor.at += 1;
  // A number has no leading zeros: only a fraction or an exponent may follow a zero.
  if (text.charCodeAt(cursor.at) === zero) cursor.at += 1;
  else skipDigits(cursor);
  if (text.charAt(cursor.at) === ".") {
    cursor.at += 1;
    skipDigits(cursor);
  }
  if (text.charAt(cursor.at) === "e" || text.charAt(cursor.at) === "E") {
    cursor.at += 1;
    if (text.charAt(cursor.at) === "+" || text.charAt(cursor.at) === "-") cursor.at += 1;
    skipDigits(cursor);
  }
}

function skipDigits(cursor: Cursor): void {
  const start = cursor.at;
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at);
    if (!(code >= zero && code <= nine)) break;
    cursor.at += 1;
  }
  if (cursor.at === start) fail(cursor);
}

function skipWhitespace(cursor: Cursor): void {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    cursor.at += 1;
  }
}

function expect(cursor: Cursor, code: number): void {
  if (cursor.text.charCodeAt(cursor.at) !== code) fail(cursor);
  cursor.at += 1;
}

function expectEnd(cursor: Cursor): void {
  skipWhitespace(cursor);
  if (cursor.at < cursor.text.length) fail(cursor);
}

function fail({ text, at }: Cursor): never {
  if (at >= text.length) throw new JsonSyntaxError("Unexpected end of JSON input");
  throw new JsonSyntaxError(
    `Unexpected character ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) as number))} in JSON at position ${at}`,
  );
}
