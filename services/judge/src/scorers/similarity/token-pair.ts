import type { Sliced } from "@touchstone/service-kit";

/**
 * Two texts as the word metrics read them: each token is a number, and equal tokens have equal numbers in both. Numbers run
 * from 0 to `vocabularySize - 1` and every one of them occurs.
 */
export interface TokenPair {
  candidate: Uint32Array;
  reference: Uint32Array;
  vocabularySize: number;
}

/** completions 6.5: similarity of texts over 1 MB is null. Counted in bytes of UTF-8. */
export const similarityTextMaxBytes = 1024 * 1024;

const tokensPerPiece = 1024;

/**
 * Tokenises both texts (completions 6.5): lower case, then every run of Unicode letters and numbers is a token. Null
 * when either text is blank, has no tokens, or is over {@link similarityTextMaxBytes}; then every metric is null.
 */
export function* readTokenPair(candidate: string, reference: string): Sliced<TokenPair | null> {
  if (isTooLarge(candidate) || isTooLarge(reference)) return null;
  const numbers = new Map<string, number>();
  const candidateTokens = yield* numberTokens(candidate, numbers);
  if (candidateTokens.length === 0) return null;
  const referenceTokens = yield* numberTokens(reference, numbers);
  if (referenceTokens.length === 0) return null;
  return { candidate: candidateTokens, reference: referenceTokens, vocabularySize: numbers.size };
}

/** Whether a text has a token and is not over {@link similarityTextMaxBytes}. */
export function isComparable(text: string): boolean {
  return !isTooLarge(text) && /[\p{L}\p{N}]/u.test(text);
}

function* numberTokens(text: string, numbers: Map<string, number>): Sliced<Uint32Array> {
  const tokens: number[] = [];
  // The specification turns everything but letters, numbers and whitespace into spaces and splits on whitespace. The remaining
  // parts are exactly these runs.
  for (const [token] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    let number = numbers.get(token);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(token, number);
    }
    tokens.push(number);
    if (tokens.length % tokensPerPiece === 0) yield;
  }
  return Uint32Array.from(tokens);
}

function isTooLarge(text: string): boolean {
  // A UTF-16 unit takes one to three bytes of UTF-8, so most texts are decided without counting.
  if (text.length > similarityTextMaxBytes) return true;
  return text.length * 3 > similarityTextMaxBytes && Buffer.byteLength(text) > similarityTextMaxBytes;
}
