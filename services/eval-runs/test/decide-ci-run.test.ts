import { describe, expect, test } from "vitest";
import { type AssessedRow, findMisses } from "../src/ci-runs/assess-result.ts";
import { type Minimum, readCiSettings } from "../src/ci-runs/ci-settings.ts";
import { canStillPass, decideCiRun } from "../src/ci-runs/decide-ci-run.ts";

const row = (rating: number | null, more: Partial<AssessedRow> = {}): AssessedRow => ({
  rating,
  codeScorerResults: null,
  ...more,
});
const rating = (min: number): Minimum => ({ metric: "rating", min });
const jaccard = (min: number): Minimum => ({ metric: "jaccardSimilarity", min });
const scorer = (score: number | null, error?: string) => ({
  name: "Tone",
  score,
  ...(error !== undefined && { error }),
});

describe("a result passes", () => {
  const cases: [what: string, row: AssessedRow, minimums: Minimum[], misses: string[]][] = [
    ["at the rating threshold", row(5), [rating(5)], []],
    ["not below it", row(4.9), [rating(5)], ["rating 4.9 < 5"]],
    ["not without a rating, even when 0 is enough", row(null), [rating(0)], ["rating null < 0"]],
    ["at a metric's threshold", row(9, { jaccardSimilarity: 0.3 }), [rating(5), jaccard(0.3)], []],
    ["not below one", row(9, { jaccardSimilarity: 0.29 }), [rating(5), jaccard(0.3)], ["jaccardSimilarity 0.29 < 0.3"]],
    [
      "not with a metric that could not be computed",
      row(9, { jaccardSimilarity: null }),
      [rating(5), jaccard(0)],
      ["jaccardSimilarity null < 0"],
    ],
    ["not with one that does not apply", row(9), [rating(5), jaccard(0.3)], ["jaccardSimilarity null < 0.3"]],
    ["whatever metrics nobody set a threshold on", row(9, { bleuScore: 0, rougeScore: null }), [rating(5)], []],
    ["with a scorer at 0.5", row(9, { codeScorerResults: [scorer(0.5)] }), [rating(5)], []],
    ["not with one below", row(9, { codeScorerResults: [scorer(0.49)] }), [rating(5)], ["Tone 0.49 < 0.5"]],
    ["not with one that gave nothing", row(9, { codeScorerResults: [scorer(null)] }), [rating(5)], ["Tone null < 0.5"]],
    ["with a scorer that failed by itself", row(9, { codeScorerResults: [scorer(null, "boom")] }), [rating(5)], []],
    [
      "not with such a scorer when a gate names it",
      row(9, { codeScorerResults: [scorer(null, "boom")] }),
      [rating(5), { metric: "Tone", min: 0.2 }],
      ["Tone null < 0.2"],
    ],
    [
      "not below a gate that asks more than 0.5",
      row(9, { codeScorerResults: [scorer(0.8)] }),
      [rating(5), { metric: "Tone", min: 0.9 }],
      ["Tone 0.8 < 0.9"],
    ],
    ["not when a gate names what nobody measured", row(9), [{ metric: "Tone", min: 0 }], ["Tone null < 0"]],
    [
      "not when the lower of two scorers of one name is too low",
      row(9, { codeScorerResults: [scorer(1), scorer(0.6)] }),
      [{ metric: "Tone", min: 0.7 }],
      ["Tone 0.6 < 0.7"],
    ],
    [
      "in nothing when everything is wrong, told in order and once",
      row(3, { jaccardSimilarity: 0.1, codeScorerResults: [scorer(0.4)] }),
      [rating(5), jaccard(0.3), rating(7), { metric: "Tone", min: 0.5 }],
      ["rating 3 < 5", "jaccardSimilarity 0.1 < 0.3", "rating 3 < 7", "Tone 0.4 < 0.5"],
    ],
  ];
  test.for(cases)("%s", ([, assessed, minimums, expected]) => {
    const misses = findMisses(assessed, minimums);
    expect(misses.map(({ metric, actual, threshold }) => `${metric} ${actual} < ${threshold}`)).toEqual(expected);
  });
});

describe("a run", () => {
  const asked = (totalQuestions: number, passRateThreshold: number) => ({
    totalQuestions,
    passRateThreshold,
    minimums: [rating(5)],
  });
  /** Results of the first questions, by rating; undefined = none. */
  const answers = (...ratings: (number | null | undefined)[]) =>
    ratings.flatMap((value, questionIndex) => (value === undefined ? [] : [{ questionIndex, row: row(value) }]));

  test.for([
    ["passes at its threshold exactly", answers(9, 9, 9, 9, 1), 5, 0.8, "pass", 0.8],
    ["fails just below", answers(9, 9, 9, 1, 1), 5, 0.8, "fail", 0.6],
    ["counts questions without a result as failed", answers(9, 9, 9), 5, 0.8, "fail", 0.6],
    ["passes with nothing at a threshold of 0", answers(), 2, 0, "pass", 0],
    ["at a threshold of 1 needs every question", answers(9, 9, undefined, 9), 4, 1, "fail", 0.75],
    ["compares thirds as they are", answers(9, 9, 1), 3, 2 / 3, "pass", 2 / 3],
  ] as const)("%s", ([, answered, total, threshold, gate, passRate]) => {
    expect(decideCiRun(answered, asked(total, threshold), false)).toMatchObject({
      gate,
      passRate,
      passedQuestions: Math.round(passRate * total),
      resultsSubmitted: answered.length,
    });
  });

  test("tells every violation by question, missing ones among them", () => {
    expect(decideCiRun(answers(9, 4, undefined, null), asked(4, 0.5), false)).toEqual({
      gate: "fail",
      passRate: 0.25,
      passedQuestions: 1,
      resultsSubmitted: 3,
      violations: [
        { questionIndex: 1, metric: "rating", threshold: 5, actual: 4 },
        { questionIndex: 2, metric: "missing", threshold: 1, actual: 0 },
        { questionIndex: 3, metric: "rating", threshold: 5, actual: null },
      ],
    });
  });

  test("that expired fails whatever its results say", () => {
    expect(decideCiRun(answers(9), asked(1, 0.5), true)).toMatchObject({ gate: "fail", passRate: 1 });
  });

  test.for([
    ["with one failure of five at 0.8", answers(1), 5, 0.8, true],
    ["not with two", answers(1, 9, 1), 5, 0.8, false],
    ["with none at 1", answers(9, 9), 4, 1, true],
    ["not with one at 1", answers(null), 4, 1, false],
    ["always at 0", answers(1, 1), 2, 0, true],
  ] as const)("can still pass, %s", ([, answered, total, threshold, expected]) => {
    expect(canStillPass(answered, asked(total, threshold))).toBe(expected);
  });
});

describe("the CI settings of a dataset", () => {
  const read = (document: object) => readCiSettings(JSON.stringify(document));

  test("have the documented defaults", () => {
    const defaults = { passRateThreshold: 0.8, exposesInputs: true, failsFast: false, minimums: [rating(5)] };
    expect(read({})).toEqual(defaults);
    expect(read({ ci: {} })).toEqual(defaults);
    expect(read({ ci: { enabled: null, passRateThreshold: null, exposeTestInputs: null } })).toEqual(defaults);
  });

  test("are disabled by `enabled: false` alone", () => {
    expect(read({ ci: { enabled: false } })).toBeNull();
    for (const enabled of [true, null, 0, "false"]) expect(read({ ci: { enabled } })).not.toBeNull();
  });

  test("hold the minimums of thresholds and enabled gates, none twice", () => {
    const ci = {
      passRateThreshold: 0,
      exposeTestInputs: false,
      failFast: true,
      ratingThreshold: 0,
      thresholds: { rougeScore: 0.4, vectorSimilarity: 0.7, jaccardSimilarity: null },
    };
    const gates = [
      { metric: "rougeScore", min: 0.4 },
      { metric: "Tone", min: 0.9 },
      { metric: "rating", min: 6 },
      { metric: "x" },
    ];
    expect(read({ ci, thresholds: { enabled: true, gates } })).toEqual({
      passRateThreshold: 0,
      exposesInputs: false,
      failsFast: true,
      minimums: [
        rating(0),
        { metric: "vectorSimilarity", min: 0.7 },
        { metric: "rougeScore", min: 0.4 },
        { metric: "Tone", min: 0.9 },
        rating(6),
      ],
    });
    expect(read({ thresholds: { enabled: false, gates } })?.minimums).toEqual([rating(5)]);
  });
});
