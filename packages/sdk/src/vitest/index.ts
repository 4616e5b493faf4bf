import { expect as baseExpect, test as baseTest, describe, inject, type TestAPI } from "vitest";
import type { Task } from "../ask-task.ts";
import type { DatasetChoice } from "../dataset.ts";
import { toBeRated } from "../test-runs/be-rated.ts";
import { openCaseTests, type TestOptions, titleOf } from "../test-runs/case-tests.ts";

export type { TestOptions } from "../test-runs/case-tests.ts";

declare module "vitest" {
  // The parameters must be those that Vitest declares.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The judge rated the answer at least so, 0 to 10. */
    toBeRated(least: number): R;
  }
}

baseExpect.extend({ toBeRated });

/** Vitest's `expect` with `toBeRated`. */
export const expect = baseExpect;

/** Vitest's `test`; `test.touchstone(dataset, task)` makes a test of each case. All workers add to one run of the dataset. */
export const test: TestAPI & { touchstone: typeof testCases } = Object.assign(baseTest.extend({}), {
  touchstone: testCases,
});

function testCases(dataset: DatasetChoice, task: Task, options: TestOptions = {}): void {
  describe(titleOf(dataset), async () => {
    const address = inject("touchstoneRuns") as string | undefined;
    if (address === undefined) {
      throw new TypeError('Add "@touchstone/sdk/vitest-setup" to globalSetup of your Vitest configuration.');
    }
    for (const { title, timeoutMs, run } of await openCaseTests(address, dataset, task, options)) {
      baseTest.concurrent(title, { timeout: timeoutMs }, ({ signal }) => run(signal));
    }
  });
}
