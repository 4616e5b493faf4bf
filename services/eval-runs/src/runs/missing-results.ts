import type { missingResults } from "@touchstone/contracts";
import type { z } from "zod";
import type { StoredKey } from "../results/result-store.ts";

type Missing = z.input<typeof missingResults>["missing"];

/** What a dataset asks for: each of its cases so many times. */
export interface AskedFor {
  cases: number;
  numberOfRequests: number;
}

/** A dataset may ask for millions of results; whoever resumes asks again when these are there. */
const listedMax = 10_000;

/**
 * What a run still lacks, the first 10,000 of it: each repetition of each case that no result is stored for, whatever its key, under the
 * recommended one (interface: POST runs/{runId}/results). Variants stand for nothing but themselves.
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
