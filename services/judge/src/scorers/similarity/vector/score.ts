/**
 * Cosine of two embeddings, clamped to 0..1 (completions 6.5). Null when they cannot be compared: different lengths,
 * no direction, or numbers that are not finite.
 */
export function scoreVector(candidate: readonly number[], reference: readonly number[]): number | null {
  if (candidate.length !== reference.length) return null;
  let product = 0;
  let candidateSquares = 0;
  let referenceSquares = 0;
  for (let index = 0; index < candidate.length; index += 1) {
    const left = candidate[index] as number;
    const right = reference[index] as number;
    product += left * right;
    candidateSquares += left * left;
    referenceSquares += right * right;
  }
  const cosine = product / (Math.sqrt(candidateSquares) * Math.sqrt(referenceSquares));
  return Number.isFinite(cosine) ? Math.min(1, Math.max(0, cosine)) : null;
}
