import { afterAll, describe, expect, test } from "vitest";
import { sandboxDefaults } from "../../src/scorers/code/sandbox.ts";
import * as corpus from "./hostile-scorers.ts";
import { setUpSandbox } from "./sandbox-setup.ts";

type Score = ReturnType<typeof setUpSandbox>["score"];

const short = setUpSandbox();
/** For scorers that work hard and end: on a busy machine the short limit is not enough. */
const patient = setUpSandbox({ timeoutMs: sandboxDefaults.timeoutMs });
afterAll(async () => {
  await Promise.all([short.sandbox.stop(), patient.sandbox.stop()]);
});

/** Whatever it was that ran before: the next scorer gets its own scope, the engine's own functions and the right answer. */
async function expectHealthy(score: Score): Promise<void> {
  const code = `return { score: scores.rating + [1, 2, 3].map(String).join("").length + JSON.stringify({ a: 1 }).length,
    reasoning: [input, output, expected, toolCalls[0].name, typeof marked].join(" ") };`;
  let row = await score(code);
  // On a busy machine it may not get a processor within the short limit. A sandbox that never answers ends at the test's own.
  while (String(row.error).startsWith("Scorer did not finish")) row = await score(code);
  expect(row).toEqual({ name: "s", score: 17, reasoning: "input output expected search undefined" });
}

describe.each(Object.entries(corpus))("%s", (_, scorers) => {
  test.each(scorers)("a scorer that $title costs only itself", async ({ code, outcome }) => {
    const { score } = outcome instanceof RegExp ? short : patient;
    const row = await score(code);
    if (outcome instanceof RegExp) {
      expect(row).toEqual({ name: "s", score: null, error: expect.stringMatching(outcome) });
    } else {
      expect(row).toMatchObject({ name: "s", score: outcome });
      expect(row).not.toHaveProperty("error");
    }
    await expectHealthy(score);
  });
});

test("the corpus has at least a hundred scorers", () => {
  expect(Object.values(corpus).flat().length).toBeGreaterThanOrEqual(100);
});
