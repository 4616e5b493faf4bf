import type { SimilarityRequest } from "@touchstone/contracts";
import type { EvaluationCase, Grading } from "../datasets/grading.ts";
import type { JudgeRequest } from "./judgement.ts";
import { renderContext } from "./render-context.ts";
import type { SubmittedResult } from "./submitted-result.ts";

/** The metrics by their names on the wire and on the bus. */
export const metricNames = [
  ["vectorSimilarity", "vector"],
  ["jaccardSimilarity", "jaccard"],
  ["bleuScore", "bleu"],
  ["rougeScore", "rouge"],
] as const satisfies readonly (readonly [string, keyof SimilarityRequest])[];

const noMetrics: SimilarityRequest = { jaccard: false, bleu: false, rouge: false, vector: null };

/** The metrics of a result: those the dataset enables, when the case has an expected result (interface: Result row). */
export function metricsFor(grading: Grading, evaluationCase: EvaluationCase | null): SimilarityRequest {
  return (evaluationCase?.expectedResults ?? null) === null ? noMetrics : grading.metrics;
}

/**
 * What the judge is asked about one result. The context is the result's own, else the case's pinned one
 * (completions 5.3).
 */
export function composeJudgeRequest(
  projectId: string,
  grading: Grading,
  evaluationCase: EvaluationCase | null,
  result: SubmittedResult,
): JudgeRequest {
  return {
    projectId,
    judges: [
      {
        id: "primary",
        name: null,
        model: null,
        acceptanceCriteria: grading.acceptanceCriteria,
        rejectionCriteria: grading.rejectionCriteria,
        evaluationCriteria: grading.evaluationCriteria,
        requiresExpected: false,
      },
    ],
    case: {
      input: result.query ?? evaluationCase?.query ?? "",
      output: result.outputText ?? "",
      expected: evaluationCase?.expectedResults ?? null,
      context: renderContext(result.retrievalContext) ?? renderContext(evaluationCase?.retrievalContext ?? null),
      guideline: evaluationCase?.judgeGuideline ?? null,
    },
    similarity: metricsFor(grading, evaluationCase),
  };
}
