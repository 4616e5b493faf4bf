import { countOf, formatDelta } from "../ui/format.ts";

/** The result of a case-by-case comparison, as the API returns it. */
export interface Paired {
  outcome: "regressed" | "improved" | "no_evidence" | "undecided";
  cases: number;
  difference: number | null;
  interval: { level: number; low: number; high: number } | null;
  pValue: number | null;
  minEffect: number;
  moreCases: number | null;
}

export interface Verdict {
  sign: "▲" | "▼" | "=" | "◇";
  word: "Improved" | "Regressed" | "No evidence" | "Cannot tell";
  look: "good" | "bad" | "plain" | "warn";
}

const verdicts: Record<Paired["outcome"], Verdict> = {
  improved: { sign: "▲", word: "Improved", look: "good" },
  regressed: { sign: "▼", word: "Regressed", look: "bad" },
  no_evidence: { sign: "=", word: "No evidence", look: "plain" },
  undecided: { sign: "◇", word: "Cannot tell", look: "warn" },
};

/** The verdict as a word and a sign, so that it does not depend on colour. */
export function verdictOf({ outcome }: Pick<Paired, "outcome">): Verdict {
  return verdicts[outcome];
}

/** The reason for the verdict, in a sentence for readers without a background in statistics. */
export function explainPaired({ outcome, cases, interval, minEffect, moreCases }: Paired): string {
  if (interval === null) {
    return `${countOf(cases, "case is", "cases are")} rated in both runs. Fewer than 6 can show nothing.`;
  }
  const range = `${formatDelta(interval.low, 2)} to ${formatDelta(interval.high, 2)}`;
  const percent = Math.round(interval.level * 100);
  switch (outcome) {
    case "regressed":
      return `The ${percent}% interval, ${range}, lies below 0, and the loss is ${minEffect} or more.`;
    case "improved":
      return `The ${percent}% interval, ${range}, lies above 0, and the gain is ${minEffect} or more.`;
    case "no_evidence":
      return `No difference of ${minEffect} or more was found: the ${percent}% interval is ${range}.`;
    case "undecided": {
      const more = moreCases === null ? "" : ` About ${countOf(moreCases, "more case")} would decide.`;
      return `The ${percent}% interval, ${range}, allows a difference of ${minEffect} and none.${more}`;
    }
  }
}

/** `p 0.012`, `p < 0.001`; a dash when unknown. */
export function formatP(pValue: number | null): string {
  if (pValue === null) return "p -";
  return pValue < 0.001 ? "p < 0.001" : `p ${pValue.toFixed(3)}`;
}

/** An axis around 0 that contains the interval and the least effect with some margin. */
export function differenceDomain({ interval, minEffect }: Pick<Paired, "interval" | "minEffect">): [number, number] {
  const reach = Math.max(minEffect, Math.abs(interval?.low ?? 0), Math.abs(interval?.high ?? 0)) * 1.15;
  return [-reach, reach];
}
