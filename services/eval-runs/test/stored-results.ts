import { uuidv7 } from "@touchstone/service-kit";
import { resultColumns, resultValues, selectSentResults } from "../src/results/result-row-store.ts";
import { digestKey, type StoredResult } from "../src/results/stored-result.ts";
import type { TestSystem } from "./test-system.ts";

/** A result as it is stored, and no more of it than a test is about. */
export interface GivenResult {
  questionIndex: number | null;
  runNumber: number;
  isVariant: boolean;
  status: "scored" | "skipped" | "failed";
  rating: number | null;
  /** What other judges said, by their ids; null = there are none. */
  judges: Readonly<Record<string, number | null>> | null;
  output: string;
}

/** Stores results in their order, without a judge: a run of many is there at once. */
export async function storeResults(
  system: TestSystem,
  { projectId, runId }: { projectId: string; runId: string },
  given: readonly GivenResult[],
): Promise<void> {
  const app = system.open("app");
  const firstMs = Date.now();
  for (let from = 0; from < given.length; from += 100) {
    const results = given
      .slice(from, from + 100)
      .map((result, index) => composeStored(result, from + index, uuidv7(firstMs + from + index)));
    await app.scoped([projectId], (transaction) =>
      transaction.query({
        name: "test_store_results",
        text: `
          insert into evals.results (project_id, run_id, ${resultColumns})
          select $1, $2, sent.*
          from (${selectSentResults(3)}) sent`,
        values: [projectId, runId, ...resultValues(results)],
      }),
    );
  }
}

/** The stored justification of a result, by its index. */
export const justificationOf = (place: number): string => `Result ${place}.`;

function composeStored(given: GivenResult, place: number, id: string): StoredResult {
  const { questionIndex, runNumber, isVariant, status, rating, judges, output } = given;
  const idempotencyKey = `result-${place}`;
  return {
    id,
    keyDigest: digestKey(idempotencyKey),
    idempotencyKey,
    caseId: `case-${questionIndex}`,
    questionIndex,
    runNumber,
    isVariant,
    status,
    skipReason: status === "skipped" ? "provider_error" : null,
    rating,
    row: {
      questionIndex,
      questionText: questionIndex === null ? null : `Question ${questionIndex}?`,
      runNumber,
      input: null,
      output: { text: output },
      rating,
      justification: justificationOf(place),
      traceId: null,
      latencyMs: null,
      inputTokens: null,
      outputTokens: null,
      codeScorerResults: null,
      judgeScorerResults:
        judges &&
        Object.entries(judges).map(([scorerId, said]) => ({
          scorerId,
          name: scorerId,
          rating: said,
          justification: null,
          status: said === null ? ("skipped" as const) : ("scored" as const),
        })),
      isSmokeTestVariant: isVariant,
      smokeTestVariantText: null,
      status,
      error: null,
      batchId: "given",
      verdictSource: status === "scored" ? "live" : null,
    },
    submittedContext: null,
    ratings: [],
  };
}
