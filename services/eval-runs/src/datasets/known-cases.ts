/** The identity of a case. */
export interface CaseIdentity {
  query: string;
  /** The kind and id of its source; null = unknown. */
  source: string | null;
}

/** The existing case that another one repeats. */
export interface DuplicateCase {
  reason: "same-source" | "same-query" | "similar-query";
  existingQuery: string;
  /** A cosine, 0 to 1; only for similar queries. */
  similarity?: number;
}

/** Cases of a dataset, found by source or query (completions 3.3: dedupe order). */
export interface KnownCases {
  /** By source, else by query; null = no match. */
  find(candidate: CaseIdentity): DuplicateCase | null;
  add(candidate: CaseIdentity): void;
  /** The queries of the newest cases, at most this many, without duplicates. */
  newestQueries(countMax: number): string[];
}

export function createKnownCases(cases: readonly CaseIdentity[]): KnownCases {
  const bySource = new Map<string, string>();
  const byQuery = new Map<string, string>();
  const add = ({ query, source }: CaseIdentity): void => {
    if (source !== null && !bySource.has(source)) bySource.set(source, query);
    const folded = foldQuery(query);
    if (!byQuery.has(folded)) byQuery.set(folded, query);
  };
  for (const each of cases) add(each);
  return {
    find({ query, source }) {
      const sameSource = source === null ? undefined : bySource.get(source);
      if (sameSource !== undefined) return { reason: "same-source", existingQuery: sameSource };
      const sameQuery = byQuery.get(foldQuery(query));
      return sameQuery === undefined ? null : { reason: "same-query", existingQuery: sameQuery };
    },
    add,
    newestQueries: (countMax) => [...byQuery.values()].slice(-countMax),
  };
}

/** A query without differences in case and white space. */
export function foldQuery(query: string): string {
  const lower = query.toLowerCase();
  if (lower.length <= partChars) return oneSpaces(lower).trim();
  // In parts, because the matches of ten megabytes take half a gigabyte.
  const parts: string[] = [];
  for (let at = 0; at < lower.length; at += partChars) parts.push(oneSpaces(lower.slice(at, at + partChars)));
  return oneSpaces(parts.join("")).trim();
}

const partChars = 1024 * 1024;

/** Most texts have single spaces only, and looking for others costs far less than replacing all. */
const oneSpaces = (text: string): string => (otherSpaces.test(text) ? text.replaceAll(/\s+/g, " ") : text);
const otherSpaces = /[^\S ]| {2}/;
