import type { SimilarityRequest, SimilarityScores } from "@touchstone/contracts";
import { createFairLimit, runInSlices, type Sliced } from "@touchstone/service-kit";
import type { CallOptions } from "../../providers/provider.ts";
import { scoreBleu } from "./bleu/score.ts";
import { scoreJaccard } from "./jaccard/score.ts";
import { scoreRouge } from "./rouge/score.ts";
import { readTokenPair } from "./token-pair.ts";
import type { EmbedTexts } from "./vector/embed-texts.ts";
import { embedByHashing, hashEmbeddingModel } from "./vector/hash-embedding.ts";
import { scoreVector } from "./vector/score.ts";

/** One result to compare with its expected result. Jobs of one group never delay those of another. */
export interface SimilarityJob extends CallOptions {
  request: SimilarityRequest;
  /** The answer. */
  candidate: string;
  /** The expected result; null = the case has none, and then every metric is null. */
  reference: string | null;
}

export interface SimilarityScorerOptions {
  embed: EmbedTexts;
  /** Called for a metric that unexpectedly threw; the metric is null then. */
  onBug(err: unknown, metric: keyof SimilarityScores): void;
}

/** Pairs longer than this (UTF-16 units, both texts) are computed one at a time, so that they do not share the CPU. */
const heavyPairMinChars = 128 * 1024;

/**
 * Computes the requested metrics, each isolated: one that fails, or is unfinished when the signal aborts, is null and does not
 * affect the others. Never rejects.
 */
export function createSimilarityScorer(
  options: SimilarityScorerOptions,
): (job: SimilarityJob) => Promise<SimilarityScores> {
  const heavyWork = createFairLimit({ places: 1 });

  return async function scoreSimilarity({ request, candidate, reference, ...call }) {
    const { signal } = call;
    const asked = metricsIn(request);
    const nothing: SimilarityScores = Object.fromEntries(asked.map((metric) => [metric, null]));
    if (asked.length === 0 || reference === null) return nothing;

    const compute = <Result>(work: Sliced<Result>): Promise<Result> =>
      candidate.length + reference.length < heavyPairMinChars
        ? runInSlices(work, signal)
        : heavyWork.run(call, () => runInSlices(work, signal));

    async function scoreOrNull(metric: keyof SimilarityScores, score: () => Promise<number | null>) {
      try {
        return [metric, await score()] as const;
      } catch (err) {
        if (metric !== "vector" && !signal.aborted) options.onBug(err, metric);
        return [metric, null] as const;
      }
    }

    const pair = await compute(readTokenPair(candidate, reference)).catch(() => null);
    if (pair === null) return nothing;
    const scores = await Promise.all(
      asked.map((metric) =>
        scoreOrNull(metric, async () => {
          if (metric === "jaccard") return scoreJaccard(pair);
          if (metric === "bleu") return compute(scoreBleu(pair));
          if (metric === "rouge") return compute(scoreRouge(pair));
          const model = request.vector?.model ?? null;
          if (model === hashEmbeddingModel) {
            return scoreVector(await compute(embedByHashing(candidate)), await compute(embedByHashing(reference)));
          }
          const [left, right] = (await options.embed([candidate, reference], model, call)) ?? [];
          return left && right ? scoreVector(left, right) : null;
        }),
      ),
    );
    return Object.fromEntries(scores);
  };
}

function metricsIn(request: SimilarityRequest): (keyof SimilarityScores)[] {
  return (["jaccard", "bleu", "rouge", "vector"] as const).filter((metric) =>
    metric === "vector" ? request.vector !== null : request[metric],
  );
}
