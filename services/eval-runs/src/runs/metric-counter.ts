import type { run } from "@touchstone/contracts";
import type { z } from "zod";
import type { ResultRow } from "../results/stored-result.ts";

type Metric = z.input<typeof run>["metrics"][number];

const similarities = [
  ["vectorSimilarity", "Vector similarity"],
  ["jaccardSimilarity", "Jaccard"],
  ["bleuScore", "BLEU"],
  ["rougeScore", "ROUGE-L"],
] as const;

/** The least score with which a code scorer passes. */
const passingScore = 0.5;

/** True if a stored row may have a metric; checks its text, which is cheaper than parsing it. */
export function hasMetrics(rowText: string): boolean {
  return !rowText.includes('"codeScorerResults":null') || similarities.some(([key]) => rowText.includes(`"${key}":`));
}

/** Averages the similarity metrics and code scorers of rows in one pass. */
export interface MetricCounter {
  add(row: ResultRow): void;
  /** The similarity metrics first, then the code scorers in order of appearance. */
  end(): Metric[];
}

export function createMetricCounter(): MetricCounter {
  const counted = new Map<
    string,
    { name: string; kind: Metric["kind"]; sum: number; computed: number; passed: number }
  >();

  function count(name: string, kind: Metric["kind"], score: number | null): void {
    const key = `${kind} ${name}`;
    const metric = counted.get(key) ?? { name, kind, sum: 0, computed: 0, passed: 0 };
    counted.set(key, metric);
    if (score === null) return;
    metric.sum += score;
    metric.computed += 1;
    if (score >= passingScore) metric.passed += 1;
  }

  return {
    add(row) {
      for (const [key, name] of similarities) {
        const value = row[key];
        if (value !== undefined) count(name, "similarity", value);
      }
      for (const { name, score } of row.codeScorerResults ?? []) count(name, "code", score);
    },
    end: () =>
      [...counted.values()]
        .map(({ name, kind, sum, computed, passed }) => ({
          name,
          kind,
          average: computed === 0 ? null : sum / computed,
          computed,
          passed: kind === "code" ? passed : null,
        }))
        .sort((one, other) => Number(one.kind === "code") - Number(other.kind === "code")),
  };
}
