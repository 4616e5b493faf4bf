import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aggregate, type GroupMember } from "../../src/scoring/aggregate.ts";
import { goodnessOf, type MemberOutcome } from "../../src/scoring/goodness.ts";

const custom = (score: number | null, rest: Partial<GroupMember> = {}): GroupMember => ({
  name: "Scorer",
  weight: 1,
  gate: false,
  outcome: { kind: "custom", score },
  ...rest,
});
const judge = (rating: number | null, rest: Partial<GroupMember> = {}): GroupMember =>
  custom(null, { name: "Judge", outcome: { kind: "judge", rating }, ...rest });

describe("a member's goodness", () => {
  test.each<[text: string, outcome: MemberOutcome, goodness: number | null]>([
    ["a judge's tenth", { kind: "judge", rating: 7.5 }, 0.75],
    ["a judge above the scale", { kind: "judge", rating: 12 }, 1],
    ["a judge below the scale", { kind: "judge", rating: -3 }, 0],
    ["a judge that is no number", { kind: "judge", rating: Number.NaN }, null],
    ["a judge without a rating", { kind: "judge", rating: null }, null],
    ["a failure pattern that matched", { kind: "pattern", matched: true, polarity: "failure" }, 0],
    ["a failure pattern that did not", { kind: "pattern", matched: false, polarity: "failure" }, 1],
    ["a proper pattern that matched", { kind: "pattern", matched: true, polarity: "proper" }, 1],
    ["a proper pattern that did not", { kind: "pattern", matched: false, polarity: "proper" }, 0],
    ["a pattern that could not be tried", { kind: "pattern", matched: null, polarity: "proper" }, null],
    ["a custom score", { kind: "custom", score: 0.3 }, 0.3],
    ["a custom score above 1", { kind: "custom", score: 5 }, 1],
    ["a custom score below 0", { kind: "custom", score: -0.1 }, 0],
    ["an endless custom score", { kind: "custom", score: Number.POSITIVE_INFINITY }, 1],
    ["a custom score that is no number", { kind: "custom", score: Number.NaN }, null],
    ["a custom scorer that abstained", { kind: "custom", score: null }, null],
    ["a custom flag", { kind: "custom", flagged: true, invertMatch: false }, 0],
    ["no custom flag", { kind: "custom", flagged: false, invertMatch: false }, 1],
    ["a custom match that is wanted", { kind: "custom", flagged: true, invertMatch: true }, 1],
    ["a wanted match that is missing", { kind: "custom", flagged: false, invertMatch: true }, 0],
    ["a custom scorer that said nothing", { kind: "custom", flagged: null, invertMatch: true }, null],
  ])("of %s", (_, outcome, goodness) => {
    expect(goodnessOf(outcome)).toBe(goodness);
  });
});

describe("a group's score", () => {
  // Each value worked out on paper, the working beside it.
  test.each<[text: string, members: GroupMember[], rating: number]>([
    ["(0.8 + 0.2 + 1.0) / 3 = 0.6667", [judge(8), custom(0.2), custom(1)], 6.7],
    ["(0.8 + 0.2) / 2 = 0.5", [judge(8), judge(2)], 5],
    ["(3 x 0.9 + 1 x 0.5) / 4 = 0.8", [judge(9, { weight: 3 }), judge(5)], 8],
    ["(0.5 x 0.4 + 0.25 x 1) / 0.75 = 0.6", [judge(4, { weight: 0.5 }), judge(10, { weight: 0.25 })], 6],
    ["0.725 alone: 72.5 rounds up to 73", [judge(7.25)], 7.3],
    ["0.724 alone: 72.4 rounds down to 72", [judge(7.24)], 7.2],
    ["a member without a score is left out: 0.9", [judge(9), judge(null, { weight: 100 })], 9],
    ["a member without weight is left out: 0.9", [judge(9), judge(1, { weight: 0 })], 9],
    ["a gate that passes counts by its weight: (0.5 + 1) / 2 = 0.75", [judge(5, { gate: true }), judge(10)], 7.5],
    ["a gate at exactly 0.5 passes, here without weight: 0.8", [judge(5, { gate: true, weight: 0 }), judge(8)], 8],
    ["a gate just below fails", [judge(4.99, { gate: true }), judge(10)], 0],
    ["a gate that fails sets 0 even without weight", [judge(4, { gate: true, weight: 0 }), judge(10)], 0],
    ["a gate that fails outdoes one that gave nothing", [judge(null, { gate: true }), judge(1, { gate: true })], 0],
    ["a gate that fails outdoes the budget", [judge(1, { gate: true }), judge(null, { stoppedByBudget: true })], 0],
    [
      "a pattern as a gate: the failure matched",
      [custom(null, { gate: true, outcome: { kind: "pattern", matched: true, polarity: "failure" } }), judge(10)],
      0,
    ],
    [
      "all three kinds: (2 x 0.9 + 1 x 1 + 1 x 0) / 4 = 0.7",
      [
        judge(9, { weight: 2 }),
        custom(null, { outcome: { kind: "pattern", matched: false, polarity: "failure" } }),
        custom(null, { outcome: { kind: "custom", flagged: true, invertMatch: false } }),
      ],
      7,
    ],
    [
      "weights that no sum can hold: (1 + 0.5) / 2 = 0.75",
      [judge(10, { weight: 1.7e308 }), judge(5, { weight: 1.7e308 })],
      7.5,
    ],
  ])("%s", (_, members, rating) => {
    expect(aggregate(members)).toMatchObject({ rating, reason: null });
  });

  test.each<[text: string, members: GroupMember[], reason: string, justification: string]>([
    [
      "when a gate gave nothing, whatever the others say",
      [judge(10), judge(null, { name: "Safety", gate: true })],
      "gate_unrated",
      'No score: the must-pass member "Safety" gave none.',
    ],
    [
      "when the live judge budget stopped a member",
      [judge(10), judge(null, { name: "Tone", stoppedByBudget: true })],
      "quota",
      'No score: the live judge budget stopped "Tone".',
    ],
    [
      "when a gate gave nothing and the budget stopped another",
      [judge(null, { name: "Tone", stoppedByBudget: true }), judge(null, { name: "Safety", gate: true })],
      "gate_unrated",
      'No score: the must-pass member "Safety" gave none.',
    ],
    [
      "when no member gave a score",
      [judge(null), custom(null)],
      "no_score",
      "No score: no member with a weight gave one.",
    ],
    [
      "when a gate gave nothing, and says why",
      [judge(null, { name: "Safety", gate: true, because: "It timed out." }), judge(null, { because: "No key." })],
      "gate_unrated",
      'No score: the must-pass member "Safety" gave none. It timed out.',
    ],
    [
      "when no member gave a score, and gives each reason once",
      [judge(null, { because: "No key." }), judge(null, { because: "No key." }), judge(null, { because: "Late." })],
      "no_score",
      "No score: no member with a weight gave one. No key. Late.",
    ],
    [
      "when no member has a weight",
      [judge(9, { weight: 0 })],
      "no_score",
      "No score: no member with a weight gave one.",
    ],
    ["when there is no member", [], "no_score", "No score: no member with a weight gave one."],
  ])("is none %s", (_, members, reason, justification) => {
    expect(aggregate(members)).toEqual({ rating: null, reason, justification, gatedBy: null });
  });

  test("names the must-pass member that set it to 0, the first of several", () => {
    const members = [judge(10), judge(1, { name: "Safety", gate: true }), judge(0, { name: "Tone", gate: true })];
    expect(aggregate(members)).toEqual({
      rating: 0,
      justification: 'Gated to 0 by "Safety" (must-pass member failed).',
      reason: null,
      gatedBy: "Safety",
    });
  });

  test("lists each member's contribution", () => {
    const members = [
      judge(8.04, { name: "Facts", weight: 3 }),
      judge(6, { name: "Safety", weight: 0.5, gate: true }),
      custom(null, { name: "Length" }),
    ];
    // (3 x 0.804 + 0.5 x 0.6) / 3.5 = 0.7749
    expect(aggregate(members)).toMatchObject({
      rating: 7.7,
      justification:
        'Weighted mean: "Facts" 8 of 10 (weight 3); "Safety" 6 of 10 (weight 0.5, must pass); "Length" no score (weight 1).',
    });
  });
});

describe("for any outcomes of the members, the score", () => {
  const member = fc.record({
    name: fc.string(),
    weight: fc.double({ min: 0, max: 1.7e308, noNaN: true }),
    gate: fc.boolean(),
    outcome: fc.oneof(
      fc.record({ kind: fc.constant("judge" as const), rating: fc.option(fc.double()) }),
      fc.record({ kind: fc.constant("custom" as const), score: fc.option(fc.double()) }),
    ),
  });

  test("lies between 0 and 10 with one decimal, or there is none and a reason", () => {
    fc.assert(
      fc.property(fc.array(member, { maxLength: 50 }), (members) => {
        const { rating, reason } = aggregate(members);
        expect(rating === null).toBe(reason !== null);
        if (rating === null) return;
        expect(rating).toBeGreaterThanOrEqual(0);
        expect(rating).toBeLessThanOrEqual(10);
        expect(Number(rating.toFixed(1))).toBe(rating);
      }),
    );
  });

  test("is rounded up at a half, in any order of the members", () => {
    const ratings = [4, 9, 4, 1, 8, 3, 7, 10];
    const weights = [13, 4, 4, 19, 20, 1, 16, 3];
    // (5.2 + 3.6 + 1.6 + 1.9 + 16 + 0.3 + 11.2 + 3) / 80 = 0.535
    const members = ratings.map((rating, index) => judge(rating, { weight: weights[index] as number }));
    expect([members, members.toReversed()].map((each) => aggregate(each).rating)).toEqual([5.4, 5.4]);
  });

  test("depends on their order only in the name of the gate", () => {
    const plain = fc.record({
      weight: fc.integer({ min: 0, max: 20 }),
      rating: fc.option(fc.integer({ min: 0, max: 10 })),
      gate: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(plain, { maxLength: 12 }), (given) => {
        const members = given.map(({ rating, ...rest }) => judge(rating, rest));
        expect(aggregate(members.toReversed()).rating).toBe(aggregate(members).rating);
      }),
    );
  });
});
