import { StringDecoder } from "node:string_decoder";

/**
 * The lines of UTF-8, one after the other. A line ends at `\n` or `\r\n`, as the server cuts lines. Node's `readline` ends one at
 * U+2028 and U+2029 too, which JSON has in its strings. Rejects if the stream breaks, and closes a stream that is left.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let begun: string[] = [];
  let isFirst = true;
  for await (const chunk of stream) {
    const written = decoder.write(chunk as Buffer);
    const [end = "", ...others] = (isFirst ? withoutMark(written) : written).split("\n");
    isFirst &&= written === "";
    begun.push(end);
    for (const next of others) {
      yield withoutReturn(begun.join(""));
      begun = [next];
    }
  }
  const last = begun.join("") + decoder.end();
  if (last !== "") yield withoutReturn(last);
}

/** A file of Windows may begin with a byte order mark. */
export const withoutMark = (text: string): string => (text.startsWith("\ufeff") ? text.slice(1) : text);

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

/** A text without what would control a terminal, or turn the direction of what follows: others choose names and outputs. */
export const withoutControls = (text: string): string => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ");
