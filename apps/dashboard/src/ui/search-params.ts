/** Parses one parameter of a URL. An invalid value is undefined: a link with one wrong parameter still opens. */
type Reader<Value> = (raw: unknown) => Value | undefined;

export const text: Reader<string> = (raw) => (typeof raw === "string" && raw !== "" ? raw : undefined);

export const number: Reader<number> = (raw) => {
  const value = typeof raw === "number" ? raw : typeof raw === "string" && raw.trim() !== "" ? Number(raw) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
};

/** True or absent. */
export const flag: Reader<true> = (raw) => (raw === true || raw === "true" || raw === "1" ? true : undefined);

/** One of these words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word> {
  return (raw) => words.find((word) => word === raw);
}

/** Several words, separated by commas in the URL. Empty is absent. */
export const list: Reader<string[]> = (raw) => {
  const words = Array.isArray(raw) ? raw : typeof raw === "string" ? raw.split(",") : [];
  const kept = words.filter((word): word is string => typeof word === "string" && word !== "");
  return kept.length > 0 ? kept : undefined;
};

/**
 * The `validateSearch` of a route: parses each named parameter. An invalid one becomes undefined rather than being left
 * out: the router adds the result to what the URL holds.
 */
export function searchOf<Shape extends Record<string, Reader<unknown>>>(shape: Shape) {
  type Search = { [Name in keyof Shape]?: ReturnType<Shape[Name]> };
  return (raw: Record<string, unknown>): Search => {
    const read = Object.entries(shape).map(([name, reader]) => [name, reader(raw[name])] as const);
    return Object.fromEntries(read.filter(([name, value]) => value !== undefined || name in raw)) as Search;
  };
}

/** The named parameters that a search has, for example those that filter a list. */
export function pickSet<Search extends object, Name extends keyof Search>(
  search: Search,
  names: readonly Name[],
): Pick<Search, Name> {
  const set = names.filter((name) => search[name] !== undefined).map((name) => [name, search[name]]);
  return Object.fromEntries(set) as Pick<Search, Name>;
}

/** The query of a URL as plain strings: types are not inferred from values. */
export function parseSearch(query: string): Record<string, unknown> {
  return Object.fromEntries(new URLSearchParams(query));
}

/** The inverse of {@link parseSearch}; absent, empty and false values are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    const isNothing = value === undefined || value === null || value === "" || value === false;
    const isEmptyList = Array.isArray(value) && value.length === 0;
    if (!isNothing && !isEmptyList) params.set(name, String(value));
  }
  const query = params.toString();
  return query === "" ? "" : `?${query}`;
}
