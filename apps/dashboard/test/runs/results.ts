import type { ResultRow } from "../../src/runs/case-rows.ts";

/** A result of case 0 rated 8, with the given overrides. */
export function resultRow(changes: Partial<ResultRow> = {}): ResultRow {
  return {
    _id: "00000000-0000-7000-8000-000000000001",
    skipCode: null,
    questionIndex: 0,
    questionText: "How is the weather in Paris?",
    runNumber: 1,
    input: null,
    output: { text: "Sunny." },
    rating: 8,
    justification: "It answers.",
    traceId: null,
    latencyMs: null,
    inputTokens: null,
    outputTokens: null,
    codeScorerResults: null,
    judgeScorerResults: null,
    isSmokeTestVariant: false,
    smokeTestVariantText: null,
    status: "scored",
    error: null,
    batchId: "1",
    expected: null,
    ofCase: { rating: 8, minRating: 8, maxRating: 8, results: 1, baselineRating: null, delta: null },
    ...changes,
  };
}

/** The verdict of an additional judge. */
export function judgedBy(
  scorerId: string,
  rating: number | null,
): NonNullable<ResultRow["judgeScorerResults"]>[number] {
  return {
    scorerId,
    name: scorerId,
    rating,
    justification: `${scorerId} says so.`,
    status: rating === null ? "skipped" : "scored",
  };
}
