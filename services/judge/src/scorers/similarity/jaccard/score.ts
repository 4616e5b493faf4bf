import type { TokenPair } from "../token-pair.ts";

/** Jaccard similarity (completions 6.5): distinct tokens in both texts divided by distinct tokens in either. 0 to 1. */
export function scoreJaccard({ candidate, reference, vocabularySize }: TokenPair): number {
  const inCandidate = new Uint8Array(vocabularySize);
  for (const token of candidate) inCandidate[token] = 1;
  let shared = 0;
  const seen = new Uint8Array(vocabularySize);
  for (const token of reference) {
    if (seen[token] === 1) continue;
    seen[token] = 1;
    if (inCandidate[token] === 1) shared += 1;
  }
  // Every number of the vocabulary occurs in one of the texts, so the vocabulary is the union.
  return shared / vocabularySize;
}
