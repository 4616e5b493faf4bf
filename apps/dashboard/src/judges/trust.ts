/** The calibration (`readCalibration`) of one version of a scorer. */
export interface Agreement {
  scorerKey: string;
  scorerName: string;
  scorerVersion: number | null;
  isGroup: boolean;
  pairs: number;
  corrected: number;
  withoutThreshold: number;
  table: { bothFail: number; onlyScorerFails: number; onlyPersonFails: number; bothPass: number };
  baseRate: number | null;
  failRate: number | null;
  rawAgreement: number | null;
  kappa: number | null;
  interval: { level: number; low: number; high: number } | null;
}

/** The four cells of the table, as the URL and the API name them. */
export const cells = ["bothFail", "onlyScorerFails", "onlyPersonFails", "bothPass"] as const;
export type Cell = (typeof cells)[number];

/** Two people who grade the same traces often reach no higher agreement. */
export const peopleAmongThemselves = { low: 0.6, high: 0.8 } as const;

/** The conclusion from the number: a headline and a sentence on what follows from it. */
export interface Trust {
  headline: string;
  advice: string;
}

/** Uses the interval and the table rather than kappa itself: with few labels even a high kappa proves nothing. */
export function trustOf(agreement: Agreement | undefined, minPairs: number): Trust {
  const pairs = agreement?.pairs ?? 0;
  if (agreement === undefined || pairs < minPairs) {
    const more = minPairs - pairs;
    return {
      headline: "Not known yet",
      advice: `${more} more ${more === 1 ? "label" : "labels"} and an estimate can be made; ${sensibleLabels} make a useful one.`,
    };
  }
  if (agreement.interval === null) return constantSide(agreement);
  const { low, high } = agreement.interval;
  if (high < 0) {
    return {
      headline: "It contradicts people",
      advice: "It agrees less often than by chance. Look for a rubric that says the opposite of what is meant.",
    };
  }
  if (low <= 0) {
    return {
      headline: "Not shown to be better than chance",
      advice: "The interval reaches 0. Label more traces before you let its score decide anything.",
    };
  }
  if (low >= peopleAmongThemselves.low) {
    return {
      headline: "About as good as a second person",
      advice: "It agrees with people as two people usually agree with each other. More cannot be asked of a judge.",
    };
  }
  if (high < peopleAmongThemselves.low) {
    return {
      headline: "Better than chance, worse than a second person",
      advice: "Use it to find traces worth a look. Do not let a single score of it decide.",
    };
  }
  return {
    headline: "Better than chance; whether as good as a second person is open",
    advice: "Averages and comparisons of many traces can lean on it. Have a person look before a single score decides.",
  };
}

/** With this many labels the interval is some 0.35 to 0.7 wide. */
const sensibleLabels = "20 to 50";

function constantSide({ baseRate, failRate }: Agreement): Trust {
  const headline = "Cannot be measured";
  if (baseRate === 0) return { headline, advice: "People found none of these traces bad: label some that are." };
  if (baseRate === 1) return { headline, advice: "People found all of these traces bad: label some that are good." };
  if (failRate === 0) return { headline, advice: "The judge failed none of them: its threshold may be too low." };
  return { headline, advice: "The judge failed all of them: its threshold may be too high." };
}

/** The counts behind the conclusion, each as a part of a whole. Null if there is nothing to count. */
export function countsOf({ table }: Pick<Agreement, "table">) {
  const { bothFail, onlyScorerFails, onlyPersonFails, bothPass } = table;
  return {
    /** Of the judge's failures, those that people rated bad. */
    rightAlarms: shareOf(bothFail, bothFail + onlyScorerFails),
    /** Of the traces that people rated bad, those that the judge failed. */
    found: shareOf(bothFail, bothFail + onlyPersonFails),
    /** Of the judge's passes, those that people rated good. */
    rightPasses: shareOf(bothPass, bothPass + onlyPersonFails),
  };
}

export interface Counted {
  count: number;
  of: number;
  share: number;
}

function shareOf(count: number, of: number): Counted | null {
  return of === 0 ? null : { count, of, share: count / of };
}

/**
 * The approximate number of further labels that would narrow the interval to this half-width; the width shrinks with the square
 * root of the number of labels. Null without an estimate; 0 if it is narrow enough.
 */
export function labelsFor(agreement: Agreement, halfWidth: number): number | null {
  if (agreement.interval === null) return null;
  const { low, high } = agreement.interval;
  const needed = agreement.pairs * ((high - low) / 2 / halfWidth) ** 2;
  const more = Math.max(0, needed - agreement.pairs);
  return more < 100 ? Math.ceil(more / 5) * 5 : Math.ceil(more / 50) * 50;
}

/** The versions of one scorer, newest first; entries without a version last. */
export function versionsOf<Found extends Pick<Agreement, "scorerKey" | "scorerVersion">>(
  scorers: readonly Found[],
  scorerKey: string,
): Found[] {
  return scorers
    .filter((each) => each.scorerKey === scorerKey)
    .toSorted((left, right) => (right.scorerVersion ?? 0) - (left.scorerVersion ?? 0));
}

/**
 * The entry of the current version of a judge. Undefined without a label of it: the labels of an earlier rubric say
 * nothing about it. A group has no versions, so its `current` is null.
 */
export function currentOf<Found extends Pick<Agreement, "scorerVersion">>(
  versions: readonly Found[],
  current: number | null,
): Found | undefined {
  return current === null ? versions[0] : versions.find(({ scorerVersion }) => scorerVersion === current);
}
