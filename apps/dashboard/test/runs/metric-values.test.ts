import { expect, test } from "vitest";
import type { ResultRow } from "../../src/runs/case-rows.ts";
import { metricOfCase } from "../../src/runs/metric-values.ts";

const result = (values: Partial<ResultRow>) =>
  ({ isSmokeTestVariant: false, codeScorerResults: null, ...values }) as ResultRow;

test("a metric of a case is the mean of its repetitions where it was computed, without variants", () => {
  const results = [
    result({ rougeScore: 0.5 }),
    result({ rougeScore: 0.7 }),
    result({ rougeScore: null }),
    result({ rougeScore: 0, isSmokeTestVariant: true }),
  ];
  expect(metricOfCase(results, { kind: "similarity", name: "ROUGE-L" })).toBeCloseTo(0.6);
  expect(metricOfCase(results, { kind: "similarity", name: "BLEU" })).toBeNull();
});

test("a code scorer is found by its name, also where a metric has the same one", () => {
  const results = [result({ bleuScore: 0.1, codeScorerResults: [{ name: "BLEU", score: 1 }] })];
  expect(metricOfCase(results, { kind: "code", name: "BLEU" })).toBe(1);
  expect(metricOfCase(results, { kind: "similarity", name: "BLEU" })).toBe(0.1);
});
