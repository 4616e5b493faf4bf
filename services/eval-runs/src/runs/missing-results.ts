import type { missingResults } from "@touchstone/contracts";
import type { z } from "zod";
import type { StoredKey } from "../results/result-store.ts";

type Missing = z.input<typeof missingResults>["missing"];

/** The results that a dataset requires: a number per case. */
export interface AskedFor {
  cases: number;
  numberOfRequests: number;
}

/** A dataset may require millions of results; a client that resumes requests the next ones later. */
const listedMax = 10_000;

/**
 * The first 10,000 missing results of a run: each repetition of each case without a stored result, whatever its key, under the
 * recommended key (interface: POST runs/{runId}/results). Variants do not count as repetitions.
 */
export function findMissingResults(runId: string, asked: AskedFor, stored: readonly StoredKey[]): Missing {
  const there = new Set(
    stored.filter(({ isVariant }) => !isVariant).map(({ questionIndex, runNumber }) => `${questionIndex}:${runNumber}`),
  );
  const missing: Missing = [];
  for (let questionIndex = 0; questionIndex < asked.cases; questionIndex += 1) {
    for (let runNumber = 1; runNumber <= asked.numberOfRequests; runNumber += 1) {
      if (there.has(`${questionIndex}:${runNumber}`)) continue;
      if (missing.length === listedMax) return missing;
      const idempotencyKey = `${runId}:case-${questionIndex}:run-${runNumber}`;
      missing.push({ questionIndex, runNumber, idempotencyKey });
    }
  }
  return missing;
}
