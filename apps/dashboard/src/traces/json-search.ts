/** A value inside JSON and its path: `metadata.otel.attributes.url`. */
export interface JsonHit {
  path: string;
  value: unknown;
}

const visitedMost = 100_000;
const searchedCharacters = 100_000;

/** The leaves whose name or text contains the words, ignoring case, at most `most`; and whether there may be more. */
export function searchJson(root: unknown, words: string, most = 200): { hits: JsonHit[]; isCut: boolean } {
  const wanted = words.trim().toLowerCase();
  const hits: JsonHit[] = [];
  // Uses a stack because nesting is unlimited, and iterates over members because lists are unlimited.
  const open: { path: string; value: object; names: string[]; at: number }[] = [];
  function visit(path: string, value: unknown): void {
    const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (names.length > 0) open.push({ path, value: value as object, names, at: 0 });
    else if (isHit(path, value, wanted)) hits.push({ path, value });
  }
  visit("", root);
  for (let visited = 0; open.length > 0; visited++) {
    if (hits.length >= most || visited > visitedMost) return { hits, isCut: true };
    const reading = open.at(-1) as (typeof open)[number];
    const { path, value } = reading;
    const name = reading.names[reading.at++];
    if (name === undefined) {
      open.pop();
      continue;
    }
    const inner = Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    visit(inner, (value as Record<string, unknown>)[name]);
  }
  return { hits, isCut: false };
}

function isHit(path: string, value: unknown, wanted: string): boolean {
  if (path.toLowerCase().includes(wanted)) return true;
  const text = typeof value === "string" ? value.slice(0, searchedCharacters) : JSON.stringify(value);
  return text?.toLowerCase().includes(wanted) ?? false;
}
