import { expect, test } from "vitest";
import { readLimit, readParameter, requireLimit } from "../src/index.ts";

const page = { byDefault: 50, max: 200 };
const refusal = { code: "bad_request", message: "limit must be a number between 1 and 200" };

test("the first of several values of a parameter counts, and an empty one counts as absent", () => {
  const query = { once: "a", twice: ["b", "c"], empty: "", emptyFirst: ["", "d"] };
  const read = ["once", "twice", "empty", "emptyFirst", "missing"].map((name) => readParameter(query, name));
  expect(read).toEqual(["a", "b", null, null, null]);
});

test.each([
  [undefined, 50],
  ["", 50],
  ["1", 1],
  ["200", 200],
  [["7", "8"], 7],
])("the limit %j of a query is %i", (limit, count) => {
  expect(readLimit({ limit }, page)).toBe(count);
});

test.each(["0", "201", "-1", "1.5", "1e2", " 5", "many", "0000000005"])(
  "the limit %j of a query is refused",
  (limit) => {
    expect(() => readLimit({ limit }, page)).toThrow(expect.objectContaining(refusal));
  },
);

test.each([0, 201, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("the limit %d is refused", (limit) => {
  expect(() => requireLimit(limit, 200)).toThrow(expect.objectContaining(refusal));
});
