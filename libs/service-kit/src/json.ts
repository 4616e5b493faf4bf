import { limits } from "@touchstone/contracts/limits";
import { AppError } from "./app-error.ts";
import { runAtOnce, type Sliced } from "./run-in-slices.ts";
import { type ScannedObject, scanMembersInSlices } from "./scan-members.ts";

/** The members of a JSON object. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** A JSON object as received text and as parsed values; free JSON is stored from the text. */
export interface JsonObject {
  text: string;
  value: JsonMembers;
}

const emptyObject: JsonObject = { text: "{}", value: {} };

/** Whether a parsed value is a JSON object, neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads a body as a JSON object. A missing body, or one that is not an object, is read as `{}`: the route's first rule
 * about a member then answers with its own sentence. Nesting over 128 levels is refused (completions 0.2).
 */
export function readJsonObjectText(body: Uint8Array, namesMax?: number): JsonObject {
  return runAtOnce(readJsonObjectInSlices(body, namesMax));
}

/** The same, with points to pause. */
export function* readJsonObjectInSlices(body: Uint8Array, namesMax?: number): Sliced<JsonObject> {
  if (body.length === 0) return emptyObject;
  const text = yield* decodeInSlices(body);
  const value = yield* parseInSlices(text, namesMax);
  yield;
  requireShallow(value);
  return isJsonObject(value) ? { text, value } : emptyObject;
}

/** Refuses a parsed body that nests deeper than `limits.jsonDepthMax`. */
export function requireShallow(value: unknown): void {
  if (isDeeperThan(value, limits.jsonDepthMax)) throw tooDeep();
}

function tooDeep(): AppError {
  return new AppError("bad_request", `The body nests deeper than ${limits.jsonDepthMax} levels.`);
}

/**
 * Validates the text of a JSON body and splits it if it is an object. The event loop takes turns in between, unlike with
 * {@link readJsonObjectText}: for routes whose clients may send more names than can be parsed in one turn. Throws
 * `bad_request` and `body_unreadable` as that does, except a `JsonSyntaxError` for text that is not JSON.
 */
export function* scanBody(text: string, namesMax?: number): Sliced<ScannedObject> {
  yield* requireFewValues(text, namesMax);
  yield;
  const scanned = yield* scanMembersInSlices(text);
  for (const { depth } of scanned.members?.values() ?? []) if (depth >= limits.jsonDepthMax) throw tooDeep();
  return scanned;
}

const decoder = new TextDecoder("utf-8", { fatal: true });
/** In a later piece of a text, a byte order mark is a character. */
const laterDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Bytes that are decoded in less than a millisecond. */
const pieceBytes = 256 * 1024;

/**
 * The text of a JSON body. Bytes that are not UTF-8 are refused (400) instead of replaced, because a replacement would
 * store text that was never sent. A byte order mark is dropped.
 */
export function decodeJsonText(body: Uint8Array): string {
  return decode(decoder, body);
}

/** The same, with points to pause. */
export function* decodeInSlices(body: Uint8Array): Sliced<string> {
  let end = endOfPiece(body, pieceBytes);
  let text = decode(decoder, body.subarray(0, end));
  while (end < body.length) {
    yield;
    const start = end;
    end = endOfPiece(body, start + pieceBytes);
    text += decode(laterDecoder, body.subarray(start, end));
  }
  return text;
}

function decode(by: typeof decoder, bytes: Uint8Array): string {
  try {
    return by.decode(bytes);
  } catch (cause) {
    throw new AppError("body_unreadable", "The request body is not valid UTF-8.", { cause });
  }
}

const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;

/** The last position up to `at` where a character begins; of characters of more than four bytes, which do not exist, any. */
function endOfPiece(body: Uint8Array, at: number): number {
  if (at >= body.length) return body.length;
  let end = at;
  while (end > at - 3 && isContinuation(body[end])) end -= 1;
  return end;
}

/** Parses a JSON body that is read as UTF-8; see {@link parseJsonText}. */
export function* parseBodyInSlices(body: Uint8Array, namesMax?: number): Sliced<unknown> {
  return yield* parseInSlices(yield* decodeInSlices(body), namesMax);
}

/**
 * Parses the text of a JSON body; invalid text is a 400 with the parser's message, and so is a text with too many values:
 * ten megabytes of empty lists would block the event loop for a second, and take half a gigabyte. Members of objects take
 * longer still, so the event loop takes fewer of them than a thread.
 */
export function parseJsonText(text: string, namesMax?: number): unknown {
  return runAtOnce(parseInSlices(text, namesMax));
}

/** The same, with points to pause: building the values of the largest bodies is one step of some tens of milliseconds. */
function* parseInSlices(text: string, namesMax?: number): Sliced<unknown> {
  yield* requireFewValues(text, namesMax);
  yield;
  if (text.trim() === "") throw new AppError("body_unreadable", "The request body is empty; JSON is expected.");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("body_unreadable", cause instanceof Error ? cause.message : "The request body is not JSON.", {
      cause,
    });
  }
}

/** Refuses the text of a JSON body with more values than any may have, or with more members than `namesMax`. */
function* requireFewValues(text: string, namesMax: number = limits.jsonValuesMax): Sliced<void> {
  const { jsonValuesMax } = limits;
  if (
    (yield* mayHaveMore(text, valueSeparators, jsonValuesMax)) &&
    (yield* hasMore(text, isValueSeparator, jsonValuesMax))
  ) {
    throw new AppError("body_unreadable", `The request body holds more than ${jsonValuesMax} JSON values.`);
  }
  if (yield* hasMoreNames(text, namesMax)) {
    throw new AppError("body_unreadable", `The request body holds more than ${namesMax} members of JSON objects.`);
  }
}

/** Whether the objects of JSON text have more members than `max`, at all levels. */
export function* hasMoreNames(text: string, max: number): Sliced<boolean> {
  return (yield* mayHaveMore(text, ":", max)) && (yield* hasMore(text, isNameSeparator, max));
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
/** The opening bracket of a list or an object, with the bit set that distinguishes them. */
const opening = 0x7b;
const isObjectBit = 0x20;

const valueSeparators = ",{[";
const isValueSeparator = (code: number): boolean => code === comma || (code | isObjectBit) === opening;
const isNameSeparator = (code: number): boolean => code === colon;

/** Characters that are read, and separators that are found, in about half a millisecond. */
const pauseChars = 64 * 1024;
const pauseFinds = 16 * 1024;

/** Whether it has so many separators, in strings or not: a search for them is faster than reading each character. */
function* mayHaveMore(text: string, separators: string, max: number): Sliced<boolean> {
  if (text.length <= max) return false;
  let found = 0;
  for (const separator of separators) {
    yield;
    for (let at = text.indexOf(separator); at >= 0 && found <= max; at = text.indexOf(separator, at + 1)) {
      found += 1;
      if (found % pauseFinds === 0) yield;
    }
  }
  return found > max;
}

/** Whether JSON text has more separators outside strings than `max`, at all levels; stops there, and builds nothing. */
function* hasMore(text: string, isSeparator: (code: number) => boolean, max: number): Sliced<boolean> {
  let found = 0;
  let pauseAt = pauseChars;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfJsonString(text, at) - 1;
    else if (isSeparator(code)) {
      found += 1;
      if (found > max) return true;
    }
    if (at < pauseAt) continue;
    pauseAt = at + pauseChars;
    yield;
  }
  return false;
}

/** Most strings end, or escape something, sooner than a search begins. */
const steppedChars = 32;

/** The position after the closing quote of the JSON string at `start`; the end of the text if it is not closed. */
export function endOfJsonString(text: string, start: number): number {
  let stepped = 0;
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    stepped = code === backslash ? 0 : stepped + 1;
    if (code === backslash) at += 1;
    if (stepped < steppedChars) continue;
    stepped = 0;
    const end = text.indexOf('"', at);
    if (end < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
    at = end;
  }
  return text.length;
}

/** Whether a parsed value nests deeper than `depthMax`. Stops there, so a value may be a million deep. */
export function isDeeperThan(value: unknown, depthMax: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depthMax === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, depthMax - 1));
  for (const name in value) {
    if (isDeeperThan((value as Record<string, unknown>)[name], depthMax - 1)) return true;
  }
  return false;
}
