import type { calibration } from "@touchstone/contracts";
import type { z } from "zod";
import { type AgreementTable, countPairs, estimateKappa, intervalLevel } from "./cohen-kappa.ts";

/** What a scorer, in one version, said of traces that people judged. */
export interface ScorerTally {
  scorerKey: string;
  scorerName: string;
  /** Null where there are no versions. */
  scorerVersion: number | null;
  isGroup: boolean;
  table: AgreementTable;
  /** Of the pairs, those where a person corrected the score. */
  corrected: number;
  /** Rated without a threshold, and therefore in no pair. */
  withoutThreshold: number;
}

type ShownAgreement = z.input<typeof calibration>["scorers"][number];

/** What the counts say of agreement with people (completions 9.5). */
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
