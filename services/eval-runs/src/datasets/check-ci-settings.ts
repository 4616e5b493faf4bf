import { limits } from "@touchstone/contracts";
import { findMistake, flag, numberWithin } from "../json/member-rules.ts";

const share = numberWithin(0, 1);
const ciRules = {
  enabled: flag,
  passRateThreshold: share,
  exposeTestInputs: flag,
  failFast: flag,
  ratingThreshold: numberWithin(limits.ratingMin, limits.ratingMax),
};
const thresholdRules = { vectorSimilarity: share, jaccardSimilarity: share, bleuScore: share, rougeScore: share };

/** What is wrong with a dataset's CI settings (completions 8.1): the sentence for the first rule it breaks, or null. */
export function findCiMistake(ci: unknown): string | null {
  return (
    findMistake("ci", ci, ciRules) ??
    findMistake("ci.thresholds", (ci as { thresholds?: unknown } | null | undefined)?.thresholds, thresholdRules)
  );
}
