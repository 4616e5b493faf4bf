import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "@touchstone/contracts";
import { Pieces } from "./pieces.ts";

/** Encoding these takes two to fifteen milliseconds. */
const partChars = 4 * 1024 * 1024;

/**
 * Texts that follow one another, in UTF-8. Long ones are encoded in parts, and the event loop gets a turn after each: ten
 * megabytes at once would block it for up to 50 ms. Short ones are joined.
 */
export async function* encodeTexts(texts: Iterable<string>): AsyncGenerator<Buffer, void, undefined> {
  let short = "";
  for (const text of texts) {
    if (short.length + text.length <= partChars) {
      short += text;
      continue;
    }
    if (short !== "") yield Buffer.from(short);
    short = "";
    for (const part of partsOf(text)) {
      await nextTurn();
      yield Buffer.from(part);
    }
  }
  if (short !== "") yield Buffer.from(short);
}

/** The texts of a list between `head` and `tail` as the body of an answer. An item is one text, or several. */
export async function encodeList(
  head: string,
  items: readonly (string | readonly string[])[],
  tail: string,
): Promise<string | Pieces> {
  const texts = [head, ...items.flatMap((item, index) => (index === 0 ? item : [",", item].flat())), tail];
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  if (chars <= limits.smallBodyMaxBytes) return texts.join("");
  const encoded: Buffer[] = [];
  for await (const part of encodeTexts(texts)) encoded.push(part);
  return new Pieces(encoded);
}

/** Parts of a text, none of which ends within a pair of surrogates. */
function* partsOf(text: string): Generator<string, void, undefined> {
  let start = 0;
  while (start < text.length) {
    const end = start + partChars;
    const isWithinPair = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const cut = isWithinPair ? end - 1 : end;
    yield text.slice(start, cut);
    start = cut;
  }
}
