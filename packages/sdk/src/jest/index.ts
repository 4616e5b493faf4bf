import type { Task } from "../ask-task.ts";
import type { DatasetChoice } from "../dataset.ts";
import { readRunsAddress } from "../environment.ts";
import type { ScoredResult } from "../submit-answers.ts";
import { toBeRated } from "../test-runs/be-rated.ts";
import { openCaseTests, type TestOptions, titleOf } from "../test-runs/case-tests.ts";

export type { TestOptions } from "../test-runs/case-tests.ts";

interface Expectation {
  /** The judge rated the answer at least so, 0 to 10. */
  toBeRated(least: number): void;
}
type Expect = (received: Pick<ScoredResult, "rating" | "justification">) => Expectation & { not: Expectation };

/** What Jest puts beside the tests, as far as it is used here: its own types would be a dependency of every user. */
const jest = globalThis as unknown as {
  describe(title: string, add: () => void): void;
  test: { concurrent(title: string, run: () => Promise<void>, timeoutMs: number): void };
  expect: Expect & { extend(matchers: object): void };
};
if (typeof jest.expect?.extend !== "function") {
  throw new TypeError("@touchstone/sdk/jest works in tests of Jest whose globals are injected.");
}
jest.expect.extend({ toBeRated });

/** Jest's `expect` for a judged answer: `expect(result).toBeRated(7)`. */
export const expect: Expect = jest.expect;

/** `await test.touchstone(dataset, task)` makes a test of each case. All workers add to one run of the dataset. */
export const test = { touchstone: testCases };

/** Jest knows no tests but those that are there when the file has been read, so the file has to wait for the cases. */
async function testCases(dataset: DatasetChoice, task: Task, options: TestOptions = {}): Promise<void> {
  const address = readRunsAddress();
  if (address === undefined) {
    throw new TypeError('Set "@touchstone/sdk/jest-setup" as globalSetup of your Jest configuration.');
  }
  const tests = await openCaseTests(address, dataset, task, options);
  jest.describe(titleOf(dataset), () => {
    // The deadline of the task is its own; Jest has no signal.
    for (const { title, timeoutMs, run } of tests) {
      jest.test.concurrent(title, () => run(new AbortController().signal), timeoutMs);
    }
  });
}
