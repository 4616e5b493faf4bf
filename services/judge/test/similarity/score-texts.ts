import { runAtOnce, type Sliced } from "@touchstone/service-kit";
import { readTokenPair, type TokenPair } from "../../src/scorers/similarity/token-pair.ts";

/** Scores two texts with one metric, null where the texts have nothing to score. */
export function scoreTexts(
  candidate: string,
  reference: string,
  score: (pair: TokenPair) => number | Sliced<number>,
): number | null {
  const pair = runAtOnce(readTokenPair(candidate, reference));
  if (pair === null) return null;
  const result = score(pair);
  return typeof result === "number" ? result : runAtOnce(result);
}
