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
export const foldQuery = (query: string): string => query.toLowerCase().replaceAll(/\s+/g, " ").trim();
