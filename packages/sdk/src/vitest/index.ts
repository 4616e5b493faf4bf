import { randomUUID } from "node:crypto";
import { expect as baseExpect, test as baseTest, describe, inject, type TestAPI } from "vitest";
import { askTask, type Task } from "../ask-task.ts";
import { bodyOf, Touchstone } from "../client.ts";
import { type DatasetChoice, readCases } from "../dataset.ts";
import { type EvaluateOptions, listRepetitions, type Repetition } from "../evaluate.ts";
import type { ScoredResult } from "../submit-answers.ts";
import { createTaskTracer } from "../task-tracer.ts";
import type { RunRequest, SharedRun } from "./shared-run.ts";

export interface TestOptions extends Pick<EvaluateOptions, "subject" | "judge" | "retries" | "timeoutMs"> {
  /** Looks at the judged answer. Without it a test fails only when the task fails. */
  check?: ((result: ScoredResult) => void | Promise<void>) | undefined;
}

declare module "vitest" {
  // The parameters must be those that Vitest declares.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The judge rated the answer at least so, 0 to 10. */
    toBeRated(least: number): R;
  }
}

/** How long a judge may take, besides the task. */
const judgedMs = 300_000;

baseExpect.extend({
  toBeRated(received: Pick<ScoredResult, "rating" | "justification">, least: number) {
    const { rating, justification } = received;
    return {
      pass: rating !== null && rating >= least,
      message: () =>
        `The answer is ${rating === null ? "not rated" : `rated ${rating}`}, ${least} or more expected. ${justification ?? ""}`.trim(),
      actual: rating,
      expected: least,
    };
  },
});

/** Vitest's `expect` with `toBeRated`. */
export const expect = baseExpect;

/** Vitest's `test`; `test.touchstone(dataset, task)` makes a test of each case. All workers add to one run of the dataset. */
export const test: TestAPI & { touchstone: typeof testCases } = Object.assign(baseTest.extend({}), {
  touchstone: testCases,
});

function testCases(dataset: DatasetChoice, task: Task, options: TestOptions = {}): void {
  const { subject, judge, timeoutMs = 120_000, retries = 0 } = options;
  describe(typeof dataset === "string" ? dataset : "name" in dataset ? String(dataset.name) : "cases", async () => {
    const { runId, ...version } = await openSharedRun({ dataset, subject, judge });
    const client = new Touchstone();
    const tracer = await createTaskTracer(client);
    const { cases, numberOfRequests } = await readCases(client, version);

    async function judgeOne({ key, one, runNumber }: Repetition, signal: AbortSignal): Promise<ScoredResult> {
      const asked = { ...one, key, runNumber, retries, timeoutMs, tracer, signal };
      const { traceId, ...result } = await askTask(task, asked);
      const resolved = traceId === undefined ? undefined : await tracer.resolve(traceId);
      const { scoredResults } = await bodyOf(
        client.api.POST("/api/v1/custom-agent-evaluations/runs/{runId}/results", {
          params: { path: { runId } },
          body: { batchId: randomUUID(), results: [{ ...result, ...(resolved && { traceId: resolved }) }] as never },
        }),
      );
      if (result.error !== undefined) throw new Error(`The task failed: ${result.error.type}: ${result.error.message}`);
      const [scored] = scoredResults as [ScoredResult];
      if (scored.deduped === true) {
        throw new Error(
          "Another test has answered this case in the same run: give one of them a `subject` that differs.",
        );
      }
      return scored;
    }

    for (const repetition of listRepetitions(runId, cases, numberOfRequests)) {
      const { one, runNumber } = repetition;
      const title = numberOfRequests === 1 ? one.query : `${one.query} (${runNumber} of ${numberOfRequests})`;
      baseTest.concurrent(title, { timeout: timeoutMs * (retries + 1) + judgedMs }, async ({ signal }) => {
        await options.check?.(await judgeOne(repetition, signal));
      });
    }
  });
}

async function openSharedRun(wanted: RunRequest): Promise<SharedRun> {
  const address = inject("touchstoneRuns") as string | undefined;
  if (address === undefined) {
    throw new TypeError('Add "@touchstone/sdk/vitest-setup" to globalSetup of your Vitest configuration.');
  }
  const response = await fetch(address, { method: "POST", body: JSON.stringify(wanted) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as SharedRun;
}
