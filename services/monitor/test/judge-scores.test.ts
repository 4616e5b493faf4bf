import { describe, expect, test } from "vitest";
import { judgeScoresOf, type ScorerVerdict } from "../src/verdicts/judge-scores.ts";

const verdict = (scorerName: string, rating: number, threshold: number | null = 5): ScorerVerdict => ({
  scorerKey: `online-eval:${scorerName}`,
  scorerName,
  isGroup: false,
  rating,
  threshold,
});
const group = (scorerName: string, rating: number, threshold: number | null = 5): ScorerVerdict => ({
  ...verdict(scorerName, rating, threshold),
  scorerKey: `scorer-group:${scorerName}`,
  isGroup: true,
});

describe("the headline of judgeScores", () => {
  test.each<[string, ScorerVerdict[], { scorerName: string; rating: number; failingCount: number }]>([
    ["one verdict", [verdict("a", 7)], { scorerName: "a", rating: 7, failingCount: 0 }],
    [
      "none failing: the lowest rating",
      [verdict("a", 9), verdict("b", 6), verdict("c", 8)],
      { scorerName: "b", rating: 6, failingCount: 0 },
    ],
    [
      "failing: the furthest below its threshold, not the lowest rating",
      [verdict("a", 2, 3), verdict("b", 4, 9), verdict("c", 1, null)],
      { scorerName: "b", rating: 4, failingCount: 2 },
    ],
    [
      "a failing one before a lower one that passes",
      [verdict("a", 1, 0), verdict("b", 6, 7)],
      { scorerName: "b", rating: 6, failingCount: 1 },
    ],
    [
      "exactly at the threshold passes",
      [verdict("a", 5, 5), verdict("b", 8)],
      { scorerName: "a", rating: 5, failingCount: 0 },
    ],
    ["no threshold never fails", [verdict("a", 0, null)], { scorerName: "a", rating: 0, failingCount: 0 }],
    [
      "a group before everything",
      [verdict("a", 0), group("g", 9)],
      { scorerName: "g (group)", rating: 9, failingCount: 1 },
    ],
    [
      "the worst of several groups",
      [group("g", 6), group("h", 4), verdict("a", 0)],
      { scorerName: "h (group)", rating: 4, failingCount: 2 },
    ],
    ["of equals the first", [verdict("a", 7), verdict("b", 7)], { scorerName: "a", rating: 7, failingCount: 0 }],
    [
      "others' evaluations count for nothing",
      [verdict("a", 7), { ...verdict("x", 0), scorerKey: "external:x" }],
      { scorerName: "a", rating: 7, failingCount: 0 },
    ],
  ])("%s", (_, verdicts, headline) => {
    expect(judgeScoresOf(verdicts)).toMatchObject(headline);
  });

  test("is null when nothing scored the trace", () => {
    expect(judgeScoresOf([])).toBeNull();
    expect(judgeScoresOf([{ ...verdict("x", 3), scorerKey: "external:x" }])).toBeNull();
  });

  test("is above every verdict, each sent complete", () => {
    expect(judgeScoresOf([verdict("a", 4), group("g", 8, null)])).toEqual({
      rating: 8,
      threshold: null,
      scorerName: "g (group)",
      judgeCount: 2,
      failingCount: 1,
      verdicts: [
        { scorerName: "a", rating: 4, threshold: 5, failing: true },
        { scorerName: "g", rating: 8, threshold: null, failing: false, isGroup: true },
      ],
    });
  });
});
