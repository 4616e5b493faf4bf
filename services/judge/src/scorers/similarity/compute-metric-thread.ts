import type { SimilarityScores } from "@touchstone/contracts";
import type { Sliced } from "@touchstone/service-kit";
import { runAtOnce } from "@touchstone/service-kit/thread";
import { scoreBleu } from "./bleu/score.ts";
import { scoreJaccard } from "./jaccard/score.ts";
import { scoreRouge } from "./rouge/score.ts";
import { readTokenPair, type TokenPair } from "./token-pair.ts";
import { embedByHashing } from "./vector/hash-embedding.ts";
import { scoreVector } from "./vector/score.ts";

export interface ComparedTexts {
  /** The answer. */
  candidate: string;
  /** The expected result. */
  reference: string;
}

/** Computes one metric of texts and their tokens, `vector` with the embedding that needs no provider. */
export function* computeMetric(
  metric: keyof SimilarityScores,
  { candidate, reference }: ComparedTexts,
  pair: TokenPair,
): Sliced<number | null> {
  if (metric === "jaccard") return scoreJaccard(pair);
  if (metric === "bleu") return yield* scoreBleu(pair);
  if (metric === "rouge") return yield* scoreRouge(pair);
  return scoreVector(yield* embedByHashing(candidate), yield* embedByHashing(reference));
}

export interface LongPair extends ComparedTexts {
  metric: keyof SimilarityScores;
}

/** One metric of long texts. Null when they cannot be compared. */
export function compareLongPair({ metric, ...texts }: LongPair): number | null {
  const pair = runAtOnce(readTokenPair(texts.candidate, texts.reference));
  return pair && runAtOnce(computeMetric(metric, texts, pair));
}
