import { describe, expect, test } from "vitest";
import { scoreTrajectory } from "../../src/scorers/trajectory/score.ts";

type Mode = Parameters<typeof scoreTrajectory>[0]["mode"];

const score = (mode: Mode, expected: string, actual: string) =>
  scoreTrajectory({ tools: [...expected], mode, linked: true }, [...actual]).score;

describe("each letter is a tool", () => {
  test.each([
    // expected, actual: strict, unordered, superset, subset
    ["ab", "ab", 1, 1, 1, 1],
    ["ab", "ba", 0, 1, 1, 1],
    ["ab", "abc", 0, 0, 1, 0],
    ["ab", "acb", 0, 0, 1, 0],
    ["abc", "ab", 0, 0, 0, 1],
    ["abc", "ba", 0, 0, 0, 1],
    ["ab", "cd", 0, 0, 0, 0],
    // How often counts for all but subset, which asks only whether a tool was expected.
    ["aab", "aba", 0, 1, 1, 1],
    ["aab", "abb", 0, 0, 0, 1],
    ["aab", "ab", 0, 0, 0, 1],
    ["ab", "aab", 0, 0, 1, 1],
    ["aa", "aaa", 0, 0, 1, 1],
    ["ab", "aaac", 0, 0, 0, 0],
    // Nothing called, nothing expected.
    ["ab", "", 0, 0, 0, 1],
    ["", "ab", 0, 0, 1, 0],
    ["", "", 1, 1, 1, 1],
  ] as const)("expected %j, called %j", (expected, actual, strict, unordered, superset, subset) => {
    expect({
      strict: score("strict", expected, actual),
      unordered: score("unordered", expected, actual),
      superset: score("superset", expected, actual),
      subset: score("subset", expected, actual),
    }).toEqual({ strict, unordered, superset, subset });
  });
});

test("the row is named after the mode and lists both sides, trimmed and without blanks", () => {
  const row = scoreTrajectory({ tools: [" search ", "", "answer"], mode: "strict", linked: true }, [
    "search\n",
    " ",
    "buy",
  ]);
  expect(row).toEqual({
    name: "Trajectory match (strict)",
    score: 0,
    reasoning: "Expected: search, answer. Actual: search, buy.",
  });
  expect(scoreTrajectory({ tools: ["a"], mode: "subset", linked: true }, [])).toEqual({
    name: "Trajectory match (subset)",
    score: 1,
    reasoning: "Expected: a. Actual: none.",
  });
});

test("names are compared as they are written: letter case and accents count", () => {
  expect(score("unordered", "A", "a")).toBe(0);
  expect(score("unordered", "e", "é")).toBe(0);
});

test("names that are members of every object are names like others", () => {
  const names = ["constructor", "__proto__", "toString"];
  const row = scoreTrajectory({ tools: names, mode: "unordered", linked: true }, [...names].reverse());
  expect(row.score).toBe(1);
  expect(scoreTrajectory({ tools: ["a"], mode: "superset", linked: true }, ["constructor"]).score).toBe(0);
});

test("a long list is cut visibly", () => {
  const { reasoning } = scoreTrajectory({ tools: Array(50).fill("x".repeat(200)), mode: "strict", linked: true }, []);
  expect(reasoning).toHaveLength(2000 + "... [cut after 2000 characters]".length);
});

test.each([
  ["none is linked", false, ["a"]],
  ["the linked trace has no record of calls", true, null],
] as const)("without a trace there is no score but an error: %s", (_, linked, actual) => {
  expect(scoreTrajectory({ tools: ["a"], mode: "superset", linked }, actual)).toEqual({
    name: "Trajectory match (superset)",
    score: null,
    error: "No trace is linked to this result",
  });
});
