import type { calibration } from "@touchstone/contracts";
import type { z } from "zod";
import { type AgreementTable, countPairs, estimateKappa, intervalLevel } from "./cohen-kappa.ts";

/** The verdicts of a scorer, in one version, on labelled traces. */
export interface ScorerTally {
  scorerKey: string;
  scorerName: string;
  /** Null if it has no versions. */
  scorerVersion: number | null;
  isGroup: boolean;
  table: AgreementTable;
  /** Pairs in which a person corrected the score. */
  corrected: number;
  /** Rated without a threshold, and therefore in no pair. */
  withoutThreshold: number;
}

type ShownAgreement = z.input<typeof calibration>["scorers"][number];

/** The agreement with people according to the counts (completions 9.5). */
export function composeAgreement({ table, ...tally }: ScorerTally): ShownAgreement {
  const pairs = countPairs(table);
  const share = (count: number): number | null => (pairs === 0 ? null : count / pairs);
  const estimated = estimateKappa(table);
  return {
    ...tally,
    pairs,
    table,
    baseRate: share(table.bothFail + table.onlyPersonFails),
    failRate: share(table.bothFail + table.onlyScorerFails),
    rawAgreement: share(table.bothFail + table.bothPass),
    kappa: estimated?.kappa ?? null,
    interval: estimated && { level: intervalLevel, low: estimated.low, high: estimated.high },
  };
}
