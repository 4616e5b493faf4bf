import { StringDecoder } from "node:string_decoder";

/**
 * The lines of UTF-8, one after the other. A line ends at `\n` or `\r\n`, as the server cuts lines. Node's `readline` ends one at
 * U+2028 and U+2029 too, which JSON has in its strings. Rejects if the stream breaks, and closes a stream that is left.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let begun: string[] = [];
  for await (const chunk of stream) {
    const [end = "", ...others] = decoder.write(chunk as Buffer).split("\n");
    begun.push(end);
    for (const next of others) {
      yield withoutReturn(begun.join(""));
      begun = [next];
    }
  }
  const last = begun.join("") + decoder.end();
  if (last !== "") yield withoutReturn(last);
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

/** A text without what would control a terminal, or turn the direction of what follows: others choose names and outputs. */
export const withoutControls = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ");
