import type { DeterministicRequest, DeterministicScore } from "@touchstone/contracts";
import type { Sliced } from "@touchstone/service-kit";
import { scoreJaccard } from "../similarity/jaccard/score.ts";
import { readTokenPair } from "../similarity/token-pair.ts";

type ContextRequest = NonNullable<DeterministicRequest["contextMatch"]>;

/** The name of context match's row. */
const contextMatchName = "Context match (jaccard)";

/**
 * Context match (completions 6.4): Jaccard similarity of the tokens of the retrieved and the expected texts, 0 to 1. Null with
 * an error when nothing was retrieved, or when one of the texts has no words or is over 1 MB.
 */
export function* scoreContext({ expected, actual }: ContextRequest): Sliced<DeterministicScore> {
  if (actual === null || actual.trim() === "") return failContext("No retrieval context was recorded for this result");
  const pair = yield* readTokenPair(actual, expected);
  if (pair === null) return failContext("The retrieval contexts have no words to compare, or are over 1 MB");
  return { name: contextMatchName, score: scoreJaccard(pair) };
}

/** The row of a failed context match. */
export function failContext(error: string): DeterministicScore {
  return { name: contextMatchName, score: null, error };
}
