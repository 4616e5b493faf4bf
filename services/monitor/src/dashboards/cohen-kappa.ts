/** The counts of a scorer's verdicts and people's labels, over the traces with both. */
export interface AgreementTable {
  bothFail: number;
  onlyScorerFails: number;
  onlyPersonFails: number;
  bothPass: number;
}

/** Agreement beyond chance: 1 is perfect, 0 is chance, below 0 is worse than chance. */
export interface Kappa {
  kappa: number;
  /** The bounds of the 95 % interval, within -1 and 1. */
  low: number;
  high: number;
}

/** With fewer pairs the interval covers nearly the whole range. */
export const pairsMin = 10;

export const intervalLevel = 0.95;
/** The normal quantile of {@link intervalLevel}, two-sided. */
const z = 1.959964;
/** Added to each cell for the interval. */
const half = 0.5;

/**
 * Cohen's kappa with an interval; null below {@link pairsMin} pairs, and if one side is constant: agreement cannot be measured
 * then, however high the percentage.
 *
 * The interval is the large-sample one of Fleiss, Cohen and Everitt (1969), computed from the table with one half added to each
 * cell. Without the halves it collapses if disagreement is rare: with 10 pairs its 95 % are 37 % at worst, with them 94 %
 * (docs/monitoring/agreement.md).
 */
export function estimateKappa(table: AgreementTable): Kappa | null {
  const { bothFail, onlyScorerFails, onlyPersonFails, bothPass } = table;
  const pairs = countPairs(table);
  const scorerFails = bothFail + onlyScorerFails;
  const personFails = bothFail + onlyPersonFails;
  if (pairs < pairsMin || isConstant(scorerFails, pairs) || isConstant(personFails, pairs)) return null;
  const { kappa } = measure(table);
  const smoothed = measure({
    bothFail: bothFail + half,
    onlyScorerFails: onlyScorerFails + half,
    onlyPersonFails: onlyPersonFails + half,
    bothPass: bothPass + half,
  });
  return {
    kappa,
    // The halves shift the center towards 0: at an extreme the interval must still contain the estimate.
    low: Math.max(-1, Math.min(kappa, smoothed.kappa - z * smoothed.standardError)),
    high: Math.min(1, Math.max(kappa, smoothed.kappa + z * smoothed.standardError)),
  };
}

export function countPairs({ bothFail, onlyScorerFails, onlyPersonFails, bothPass }: AgreementTable): number {
  return bothFail + onlyScorerFails + onlyPersonFails + bothPass;
}

const isConstant = (failing: number, pairs: number): boolean => failing === 0 || failing === pairs;

/** Kappa and its standard error (Fleiss, Cohen and Everitt 1969, formula 13) for a table in which both sides vary. */
function measure(table: AgreementTable): { kappa: number; standardError: number } {
  const pairs = countPairs(table);
  const [ff, fp, pf, pp] = [
    table.bothFail / pairs,
    table.onlyScorerFails / pairs,
    table.onlyPersonFails / pairs,
    table.bothPass / pairs,
  ];
  const [scorerFails, scorerPasses] = [ff + fp, pf + pp];
  const [personFails, personPasses] = [ff + pf, fp + pp];
  const observed = ff + pp;
  const byChance = scorerFails * personFails + scorerPasses * personPasses;
  const kappa = (observed - byChance) / (1 - byChance);
  const rest = 1 - kappa;
  const agreeing =
    ff * (1 - (scorerFails + personFails) * rest) ** 2 + pp * (1 - (scorerPasses + personPasses) * rest) ** 2;
  const disagreeing = rest ** 2 * (fp * (personFails + scorerPasses) ** 2 + pf * (personPasses + scorerFails) ** 2);
  const chance = (kappa - byChance * rest) ** 2;
  const variance = Math.max(0, agreeing + disagreeing - chance) / (pairs * (1 - byChance) ** 2);
  return { kappa, standardError: Math.sqrt(variance) };
}
