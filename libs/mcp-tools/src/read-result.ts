import type { resultList } from "@touchstone/contracts";
import type { z } from "zod";
import { cut, cutJson, type RecordedAnswer } from "./answer.ts";
import { type Ask, evaluations } from "./tool.ts";

/** A result of a run, with the reasons of all its scorers. */
export async function readResult(
  { runId, resultId }: { runId: string; resultId: string },
  ask: Ask,
): Promise<RecordedAnswer> {
  const path = `${evaluations}/runs/${encodeURIComponent(runId)}/results`;
  const { results } = (await ask("GET", path, { resultId })) as z.infer<typeof resultList>;
  const [result] = results;
  if (result === undefined) return { facts: { error: "The run has no such result." } };
  const { vectorSimilarity, jaccardSimilarity, bleuScore, rougeScore } = result;
  return {
    facts: {
      resultId: result._id,
      rating: result.rating,
      status: result.status,
      skipCode: result.skipCode,
      ofCase: result.ofCase,
      similarity: { vectorSimilarity, jaccardSimilarity, bleuScore, rougeScore },
    },
    recorded: {
      traceId: cut(result.traceId, 100),
      question: cut(result.questionText ?? result.input?.query, 2_000),
      answer: cut(result.output?.text, 3_000),
      expected: cut(result.expected, 2_000),
      error: cutJson(result.error, 600),
      reason: cut(result.justification, 3_000),
      judges: cutJson(result.judgeScorerResults, 3_000),
      codeScorers: cutJson(result.codeScorerResults, 2_000),
    },
  };
}
