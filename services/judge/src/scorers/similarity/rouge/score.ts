import type { Sliced } from "@touchstone/service-kit";
import type { TokenPair } from "../token-pair.ts";
import { measureCommonSubsequence } from "./common-subsequence.ts";

/**
 * ROUGE-L (completions 6.5), 0 to 1: the F1 of precision (LCS / candidate tokens) and recall (LCS / reference tokens), which
 * equals twice the LCS over the tokens of both. 0 when nothing is common.
 */
export function* scoreRouge({ candidate, reference, vocabularySize }: TokenPair): Sliced<number> {
  const common = yield* measureCommonSubsequence(candidate, reference, vocabularySize);
  return (2 * common) / (candidate.length + reference.length);
}
