import { expect, test } from "vitest";
import { passes, skipSentence, voteFor } from "../../src/blocks/verdict.ts";

test("a rating exactly at its threshold passes; without one nothing is said", () => {
  expect(passes({ rating: 5, threshold: 5 })).toBe(true);
  expect(passes({ rating: 4.9, threshold: 5 })).toBe(false);
  expect(passes({ rating: 5, threshold: null })).toBeNull();
  expect(passes({ rating: null, threshold: 5 })).toBeNull();
});

test("agreeing with a verdict that fails votes the trace down, disagreeing votes it up", () => {
  expect(voteFor({ rating: 2, threshold: 5 }, true)).toBe("down");
  expect(voteFor({ rating: 2, threshold: 5 }, false)).toBe("up");
  expect(voteFor({ rating: 8, threshold: 5 }, true)).toBe("up");
  expect(voteFor({ rating: 8, threshold: 5 }, false)).toBe("down");
  expect(voteFor({ rating: 8, threshold: null }, true)).toBeNull();
});

test("a skip code that is not known yet is shown as it is", () => {
  expect(skipSentence("timeout")).toBe("The judge did not answer in time.");
  expect(skipSentence("brand_new")).toBe("brand_new");
});
