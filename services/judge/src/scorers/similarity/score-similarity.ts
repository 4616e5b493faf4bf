import type { SimilarityRequest, SimilarityScores } from "@touchstone/contracts";
import { ComputeError, type ComputePool, defineComputeTask, runInSlices } from "@touchstone/service-kit";
import type { CallOptions } from "../../providers/provider.ts";
import { type ComparedTexts, type compareLongPair, computeMetric } from "./compute-metric-thread.ts";
import { isComparable, readTokenPair } from "./token-pair.ts";
import type { EmbedTexts } from "./vector/embed-texts.ts";
import { hashEmbeddingModel } from "./vector/hash-embedding.ts";
import { scoreVector } from "./vector/score.ts";

/** One result to compare with its expected result. Jobs of one group never delay those of another. */
export interface SimilarityJob extends CallOptions {
  request: SimilarityRequest;
  /** The answer. */
  candidate: string;
  /** The expected result; null = the case has none, and then every metric is null. */
  reference: string | null;
  /** True: no provider is called, and a metric that needs one is null. */
  isReplay: boolean;
}

export interface SimilarityScorerOptions {
  embed: EmbedTexts;
  /** Computes the metrics of long texts. */
  threads: ComputePool;
  /** Called for a metric that unexpectedly threw; the metric is null then. */
  onBug(err: unknown, metric: keyof SimilarityScores): void;
}

/** Pairs longer than this (UTF-16 units, both texts) are computed in a thread: the longest take seconds. */
const longPairMinChars = 128 * 1024;
/** ROUGE of two texts of 1 MB takes about a second of a processor, of which a thread may get a small share. */
const longPairMs = 60_000;

const longPair = defineComputeTask<typeof compareLongPair>(
  "compareLongPair",
  new URL("./compute-metric-thread.ts", import.meta.url),
);

/** Computes a metric of one pair; `vector` by hashing. */
type Compute = (metric: keyof SimilarityScores) => Promise<number | null>;

/**
 * Computes the requested metrics, each isolated: one that fails, or is unfinished when the signal aborts, is null and does not
 * affect the others. Never rejects.
 */
export function createSimilarityScorer({
  embed,
  threads,
  onBug,
}: SimilarityScorerOptions): (job: SimilarityJob) => Promise<SimilarityScores> {
  return async function scoreSimilarity({ request, candidate, reference, isReplay, ...call }) {
    const asked = metricsIn(request);
    const nothing: SimilarityScores = Object.fromEntries(asked.map((metric) => [metric, null]));
    if (asked.length === 0 || reference === null) return nothing;
    const compute = await openPair({ candidate, reference }, call).catch(() => null);
    if (compute === null) return nothing;

    async function scoreOrNull(metric: keyof SimilarityScores, score: () => Promise<number | null>) {
      try {
        return [metric, await score()] as const;
      } catch (err) {
        const isExpected = metric === "vector" || call.signal.aborted || err instanceof ComputeError;
        if (!isExpected) onBug(err, metric);
        return [metric, null] as const;
      }
    }

    const scores = await Promise.all(
      asked.map((metric) =>
        scoreOrNull(metric, async () => {
          const model = request.vector?.model ?? null;
          if (metric !== "vector" || model === hashEmbeddingModel) return compute(metric);
          if (isReplay) return null;
          const [left, right] = (await embed([candidate, reference], model, call)) ?? [];
          return left && right ? scoreVector(left, right) : null;
        }),
      ),
    );
    return Object.fromEntries(scores);
  };

  /** Null when the texts cannot be compared. */
  async function openPair(texts: ComparedTexts, { group, signal }: CallOptions): Promise<Compute | null> {
    const { candidate, reference } = texts;
    if (candidate.length + reference.length >= longPairMinChars) {
      if (!isComparable(candidate) || !isComparable(reference)) return null;
      const request = { deadlineMs: longPairMs, projectId: group, signal };
      return (metric) => threads.run(longPair, { metric, ...texts }, request);
    }
    const pair = await runInSlices(readTokenPair(candidate, reference), signal);
    return pair && ((metric) => runInSlices(computeMetric(metric, texts, pair), signal));
  }
}

function metricsIn(request: SimilarityRequest): (keyof SimilarityScores)[] {
  return (["jaccard", "bleu", "rouge", "vector"] as const).filter((metric) =>
    metric === "vector" ? request.vector !== null : request[metric],
  );
}
