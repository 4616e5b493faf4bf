import { expect, test } from "vitest";
import { topModels } from "../../src/overview/top-models.ts";

test("the most expensive models are listed individually and the rest is one entry, so that the sum is complete", () => {
  expect(topModels({ a: 1, b: 5, c: 0, d: 3, e: 2 }, 3)).toEqual([
    { label: "b", models: ["b"] },
    { label: "d", models: ["d"] },
    { label: "2 other models", models: ["e", "a"] },
  ]);
});

test("as many models as there are colours need no gathering", () => {
  expect(topModels({ a: 1, b: 5 }, 2).map(({ label }) => label)).toEqual(["b", "a"]);
});
