import { runAtOnce } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { scoreContext } from "../../src/scorers/context/score.ts";

const score = (expected: string, actual: string | null) => runAtOnce(scoreContext({ expected, actual }));

test.each([
  // {orders, ship, in, two, days} and {orders, ship, in, a, week}: 3 shared of 7.
  ["Orders ship in two days.", "Orders ship in a week.", 3 / 7],
  // Passages are joined with blank lines; the same words in another order and letter case.
  ["first passage\n\nsecond passage", "Second passage; FIRST", 1],
  ["refunds take five days", "shipping is free", 0],
])("the expected context %j and the retrieved context %j are alike by %d", (expected, actual, similarity) => {
  const row = score(expected, actual);
  expect(row.name).toBe("Context match (jaccard)");
  expect(row.score).toBeCloseTo(similarity, 12);
  expect(row).not.toHaveProperty("error");
});

test.each([[null], [""], [" \n\t "]])("nothing retrieved (%j) is an error, not a zero", (actual) => {
  expect(score("what should have been found", actual)).toEqual({
    name: "Context match (jaccard)",
    score: null,
    error: "No retrieval context was recorded for this result",
  });
});

test.each([
  ["a text without words", "???", "some words"],
  ["a text over 1 MB", "some words", "word ".repeat(250_000)],
])("%s cannot be compared", (_, expected, actual) => {
  expect(score(expected, actual)).toEqual({
    name: "Context match (jaccard)",
    score: null,
    error: "The retrieval contexts have no words to compare, or are over 1 MB",
  });
});
