import { limits } from "@touchstone/contracts/limits";

// ES2026 JSON source text access: in Node 24, not yet in TypeScript's library.
interface RawNumber {
  readonly rawJSON: string;
}
const json = JSON as typeof JSON & {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
};

/** A number literal that a JavaScript number would change: 16 digits or more, an exponent, a final zero, minus zero, below 1e-6. */
const fragileNumber = /[[:,]\s*-?(?:\d{16}|(?=[\d.]{17})\d+\.\d|0\.0{6}|\d+(?:\.\d+)?[eE]|\d+\.\d*0[\s,\]}]|0[\s,\]}])/;
const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses JSON and keeps every number literal as written: one that a JavaScript number would change becomes an object
 * that JSON.stringify writes back verbatim, so a 64-bit id in a tool call survives. Throws what JSON.parse throws.
 */
export function parseLossless(text: string): unknown {
  return fragileNumber.test(text) ? json.parse(text, keepLiteral) : JSON.parse(text);
}

function keepLiteral(_key: string, value: unknown, context: { source?: string }): unknown {
  const changed = typeof value === "number" && context.source !== undefined && String(value) !== context.source;
  return changed ? json.rawJSON(context.source as string) : value;
}

/** True if a parsed value is a number kept as its literal. */
export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value);
}

/**
 * Rule J of otlp 5.1: text that looks like JSON and is JSON becomes its value; anything else stays text. JSON nested
 * deeper than {@link limits.jsonDepthMax} stays text too, since it could not be serialised again.
 */
function parseIfJson(text: string): unknown {
  const trimmed = text.trim();
  switch (trimmed.charCodeAt(0)) {
    case 0x22: // "
    case 0x5b: // [
    case 0x7b: // {
      break;
    case 0x74: // t
    case 0x66: // f
    case 0x6e: // n
      if (trimmed !== "true" && trimmed !== "false" && trimmed !== "null") return text;
      break;
    default:
      if (!numberText.test(trimmed)) return text;
      return String(Number(trimmed)) === trimmed ? Number(trimmed) : json.rawJSON(trimmed);
  }
  try {
    const value = parseLossless(trimmed);
    return nestsWithin(value, limits.jsonDepthMax) ? value : text;
  } catch {
    return text;
  }
}

/** `parseIfJson` for any value; values other than text are returned as they are. */
export function looselyParsed(value: unknown): unknown {
  return typeof value === "string" ? parseIfJson(value) : value;
}

/** Stops at the limit, so it is safe for a value of any depth. */
function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => nestsWithin(item, levels - 1));
  for (const key in value) {
    if (!nestsWithin((value as Record<string, unknown>)[key], levels - 1)) return false;
  }
  return true;
}

/** True for a JSON object: not null, not a list, not a number kept as its literal. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
