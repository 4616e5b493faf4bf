import { type Finding, findText, type SourceText } from "./source-text.ts";

/**
 * Words that comments, test titles and documents do without, with the number of uses that are left. The numbers may only fall: write
 * "a client" for "whoever", "receives" for "is told", "exists" for "stands", "unavailable" for "away".
 */
export const wordsMax: Readonly<Record<string, number>> = {
  whoever: 0,
  somebody: 0,
  nobody: 3,
  told: 2,
  "says of": 0,
  stands: 0,
  away: 1,
  anyhow: 0,
  anew: 0,
  "for ever": 0,
  "in hand": 0,
  "gives back": 0,
  "has room": 0,
};

const isChecked = /^(apps|bench|libs|packages|tests|tools(?!\/tidy)|services)\/.*\.(tsx?|mjs|cjs)$/;
const document = /^(docs\/.*|[A-Z]+)\.md$/;
const line = /.+/g;
const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*/gm;
const title = /(?<![.\w])(?:test|it|describe)(?:\(|\.[^\n"`]*\()\s*(["`])(?:\\.|(?!\1)[^\\\n])*\1/g;

/** The uses of a word in a document, or in the comments and test titles of other files. */
export function findWord({ path, text }: SourceText, word: string): Finding[] {
  const isDocument = document.test(path);
  if (!isDocument && (!isChecked.test(path) || /\.gen\.(d\.)?ts$/.test(path))) return [];
  const spoken = (isDocument ? [line] : [comment, title]).flatMap((pattern) => findText({ path, text }, pattern));
  const uses = new RegExp(`(?<![\\w\`-])${word.replaceAll(" ", "\\s+(?:\\*\\s+|//\\s+)?")}\\b`, "gi");
  return spoken.flatMap(({ line, what }) =>
    findText({ path, text: what }, uses).map((use) => ({ ...use, line: line + use.line - 1 })),
  );
}
