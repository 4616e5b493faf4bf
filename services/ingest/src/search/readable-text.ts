import type { JsonText } from "../model/span.ts";

const quote = '"';
const backslash = 0x5c;
const punctuation = /[\s,:[\]{}]+/;

/**
 * The visible text of a JSON text: member names and strings with decoded escapes, numbers and literals as written, each
 * on a separate line, without punctuation. At most `charsMax` characters. The text is valid JSON; it is scanned once,
 * not parsed.
 */
export function readableText(json: JsonText, charsMax: number): string {
  let text = "";
  let at = 0;
  while (at < json.length && text.length < charsMax) {
    const open = json.indexOf(quote, at);
    const between = json.slice(at, open < 0 ? json.length : open);
    if (/[^\s,:[\]{}]/.test(between)) text += `${between.split(punctuation).filter(Boolean).join("\n")}\n`;
    if (open < 0) break;
    const close = closingQuote(json, open);
    const string = json.slice(open, close + 1);
    text += string.includes("\\") ? (JSON.parse(string) as string) : string.slice(1, -1);
    text += "\n";
    at = close + 1;
  }
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  return lines.length > charsMax ? lines.slice(0, charsMax) : lines;
}

function closingQuote(json: string, open: number): number {
  for (let at = json.indexOf(quote, open + 1); at >= 0; at = json.indexOf(quote, at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length - 1;
}
