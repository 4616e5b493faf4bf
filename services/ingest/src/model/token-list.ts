/** Input, output, cache read, cache write and reasoning tokens, in the order of the columns; null = unknown. */
export type TokenList = readonly [number | null, number | null, number | null, number | null, number | null];

export const tokenComponents = 5;

/** The counts in a row's form; null if none is known. */
export function toTokenList(counts: readonly (number | null | undefined)[]): TokenList | null {
  if (!counts.some((count) => count !== null && count !== undefined)) return null;
  const [input = null, output = null, cacheRead = null, cacheWrite = null, reasoning = null] = counts;
  return [input, output, cacheRead, cacheWrite, reasoning];
}

/** A PostgreSQL array literal. */
export function tokenLiteral(tokens: TokenList | null): string | null {
  return tokens === null ? null : `{${tokens.map((count) => count ?? "NULL").join(",")}}`;
}

/** True if two lists hold the same counts. */
export function sameTokens(left: TokenList | null, right: TokenList | null): boolean {
  if (left === null || right === null) return left === right;
  return left.every((count, index) => count === right[index]);
}
