import { expect, test } from "vitest";
import { ApiProblem } from "../src/api/problem.ts";
import { retryDelay } from "../src/api/queries.ts";

const problem = (status: number, retryAfterSeconds: number | null = null) =>
  new ApiProblem("no", { status, retryAfterSeconds });

test("what passes is tried again twice, a little later each time", () => {
  for (const status of [0, 429, 502, 503, 504]) {
    expect([0, 1, 2].map((failures) => retryDelay(failures, problem(status)))).toEqual([500, 1_000, null]);
  }
});

test("an error that waiting does not fix is shown at once", () => {
  for (const status of [400, 401, 403, 404, 500]) expect(retryDelay(0, problem(status))).toBeNull();
  expect(retryDelay(0, new Error("a mistake of ours"))).toBeNull();
});

test("a wait that the API asks for is kept when it is short, and shown when it is long", () => {
  expect(retryDelay(0, problem(503, 2))).toBe(2_000);
  expect(retryDelay(0, problem(429, 5))).toBe(5_000);
  expect(retryDelay(0, problem(429, 41))).toBeNull();
});
