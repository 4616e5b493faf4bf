/** A value inside of JSON and the way to it: `metadata.otel.attributes.url`. */
export interface JsonHit {
  path: string;
  value: unknown;
}

const visitedMost = 100_000;
const searchedCharacters = 100_000;

/** The leaves whose name or text contains the words, in any case, at most `most`; and whether there may be more. */
export function searchJson(root: unknown, words: string, most = 200): { hits: JsonHit[]; isCut: boolean } {
  const wanted = words.trim().toLowerCase();
  const hits: JsonHit[] = [];
  const waiting: JsonHit[] = [{ path: "", value: root }];
  let visited = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value } = next;
    visited += 1;
    if (hits.length >= most || visited > visitedMost) return { hits, isCut: true };
    if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
      const isList = Array.isArray(value);
      const members = Object.entries(value).map(([name, member]) => ({
        path: isList ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`,
        value: member,
      }));
      // One by one: a spread of a very long list does not fit on the stack.
      for (const member of members.reverse()) waiting.push(member);
      continue;
    }
    const text = typeof value === "string" ? value.slice(0, searchedCharacters) : JSON.stringify(value);
    if (path.toLowerCase().includes(wanted) || text?.toLowerCase().includes(wanted)) hits.push({ path, value });
  }
  return { hits, isCut: false };
}
