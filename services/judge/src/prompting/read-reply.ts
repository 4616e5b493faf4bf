import { z } from "zod";

/** The characters read again, as the start of an object or to parse it, in a text of braces that no object closes. */
const charsReadAgainMax = 256 * 1024;

/**
 * The JSON objects in a model's reply, outermost only, in order (completions 7.4). Skips the surrounding prose, code fence or
 * array.
 */
export function* findObjects(text: string): Generator<Record<string, unknown>> {
  const ends = new Int32Array(text.length);
  let charsLeft = text.length + charsReadAgainMax;
  for (let from = text.indexOf("{"); from >= 0 && charsLeft > 0; ) {
    if (ends[from] === 0) charsLeft -= findObjectEnds(text, from, ends);
    const end = ends[from] as number;
    const object = end < 0 ? null : parseObject(text.slice(from, end));
    if (object !== null) yield object;
    else if (end > 0) charsLeft -= end - from;
    from = text.indexOf("{", object === null ? from + 1 : end);
  }
}

/**
 * Notes for the brace at `from`, and for each one read on the way, the index after the brace that balances it, or -1. Braces
 * inside JSON strings do not count. Returns the number of characters read.
 */
function findObjectEnds(text: string, from: number, ends: Int32Array): number {
  const open: number[] = [];
  let inString = false;
  let index = from;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === backslash) index += 1;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === openingBrace) {
      ends[index] = -1;
      open.push(index);
    } else if (code === closingBrace) {
      ends[open.pop() as number] = index + 1;
      if (open.length === 0) break;
    }
  }
  return index + 1 - from;
}

const quote = 0x22;
const backslash = 0x5c;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

function parseObject(text: string): Record<string, unknown> | null {
  try {
    // The text starts with a brace, so the parsed value is an object.
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/**
 * A finite number in a model's reply: plain, or as digits in a string (completions 7.4). `9/10` and `nine` are invalid.
 */
export const statedNumber = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*[+-]?\d+(\.\d+)?\s*$/)
      .transform(Number),
  ])
  .refine(Number.isFinite);
