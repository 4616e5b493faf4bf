import { type Bus, isBusError } from "@touchstone/bus";
import { type createRunReply, limits, paraphraseQuery } from "@touchstone/contracts";
import type { Logger } from "@touchstone/service-kit";
import type { z } from "zod";
import type { EvaluationCase } from "../grading/cases.ts";

/** The paraphrases of a run's questions; null = no question has any. */
export type SmokeTestVariants = z.input<typeof createRunReply>["smokeTestVariants"];

export interface VariantDependencies {
  bus: Bus;
  logger: Logger;
  /** For all questions of a run together, in milliseconds. */
  variantsMs: number;
  /** Aborts when the service stops. */
  signal: AbortSignal;
}

/** Questions being paraphrased at a time. */
const atOnceMax = 8;

/**
 * Makes the paraphrases that cases request (completions 5.1): one judge call for each such case. If the judge fails or times
 * out, the case has none: a run never fails for it.
 */
export async function makeVariants(
  { bus, logger, variantsMs, signal }: VariantDependencies,
  { projectId, organizationId }: { projectId: string; organizationId: string | null },
  cases: readonly EvaluationCase[],
): Promise<SmokeTestVariants> {
  const wanted = cases.flatMap(({ query, smokeTest }, questionIndex) =>
    smokeTest === null ? [] : [{ questionIndex, query, ...smokeTest }],
  );
  if (wanted.length === 0) return null;
  const deadlineMs = performance.now() + variantsMs;
  const made: NonNullable<SmokeTestVariants> = wanted.map(({ questionIndex }) => ({ questionIndex, variants: [] }));

  async function paraphrase(index: number): Promise<void> {
    const { query, count, guidance } = wanted[index] as (typeof wanted)[number];
    const timeoutMs = Math.floor(deadlineMs - performance.now());
    if (timeoutMs <= 0) return;
    try {
      const { variants, failure } = await bus.request(
        paraphraseQuery,
        {
          projectId,
          organizationId,
          model: null,
          query,
          count: Math.min(count, limits.variantsPerCaseMax),
          guidance,
        },
        { timeoutMs, signal },
      );
      if (failure !== null) logger.info({ projectId, reason: failure.reason }, "a question was not paraphrased");
      (made[index] as (typeof made)[number]).variants = variants;
    } catch (thrown) {
      if (signal.aborted || !isBusError(thrown)) throw thrown;
      logger.info({ projectId, reason: thrown.kind }, "a question was not paraphrased");
    }
  }

  let next = 0;
  const work = async (): Promise<void> => {
    while (next < wanted.length) {
      const index = next;
      next += 1;
      await paraphrase(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, wanted.length) }, work));
  return made;
}
