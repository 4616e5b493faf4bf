import { randomUUID } from "node:crypto";
import { askTask, type Task, timerMaxMs } from "../ask-task.ts";
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

/** The test of a case, for a test runner to add. */
interface CaseTest {
  title: string;
  /** How long it may take, the judge included. */
  timeoutMs: number;
  /** Asks and judges the case, and rejects if the test fails. */
  run(signal: AbortSignal): Promise<void>;
}

/** How long a judge may take, besides the task. */
const judgedMs = 300_000;

/** The name under which the tests of a dataset are shown. */
export const titleOf = (dataset: DatasetChoice): string =>
  typeof dataset === "string" ? dataset : "name" in dataset ? String(dataset.name) : "cases";

/** The tests of a dataset: one for each repetition of each case. All add to the run that `address` serves. */
export async function openCaseTests(
  address: string,
  dataset: DatasetChoice,
  task: Task,
  options: TestOptions,
): Promise<CaseTest[]> {
  const { subject, judge, timeoutMs = 120_000, retries = 0 } = options;
  const { runId, ...version } = await openSharedRun(address, { dataset, subject, judge });
  const client = new Touchstone();
  const tracer = await createTaskTracer(client);
  const { cases, numberOfRequests } = await readCases(client, version);
  // By it these tests know their answers from those of other tests in the run.
  const batchId = randomUUID();

  async function judgeOne({ key, one, runNumber }: Repetition, signal: AbortSignal): Promise<ScoredResult> {
    const asked = { ...one, key, runNumber, retries, timeoutMs, tracer, signal };
    const { traceId, ...result } = await askTask(task, asked);
    const resolved = traceId === undefined ? undefined : await tracer.resolve(traceId);
    const { scoredResults } = await bodyOf(
      client.api.POST("/api/v1/custom-agent-evaluations/runs/{runId}/results", {
        params: { path: { runId } },
        body: { batchId, results: [{ ...result, ...(resolved && { traceId: resolved }) }] as never },
      }),
    );
    if (result.error !== undefined) throw new Error(`The task failed: ${result.error.type}: ${result.error.message}`);
    const [scored] = scoredResults as [ScoredResult];
    // The request was sent again, the test runner repeats the test, or another test has the same case.
    if (scored.deduped === true && (await readBatchId(one.questionIndex, runNumber)) !== batchId) {
      throw new Error(
        "Another test has answered this case in the same run: give one of them a `subject` that differs.",
      );
    }
    if (scored.status === "failed") {
      throw new Error("The task failed when the case was answered first, and the run keeps that.");
    }
    return scored;
  }

  /** Of the stored answer. A case has few, which are one page. */
  async function readBatchId(questionIndex: number, runNumber: number): Promise<string | undefined> {
    const { results } = await bodyOf(
      client.api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/results", {
        params: { path: { runId }, query: { questionIndex: String(questionIndex), limit: "200" } },
      }),
    );
    return results.find((result) => result.runNumber === runNumber)?.batchId;
  }

  return listRepetitions(runId, cases, numberOfRequests).map((repetition) => {
    const { one, runNumber } = repetition;
    return {
      title: numberOfRequests === 1 ? one.query : `${one.query} (${runNumber} of ${numberOfRequests})`,
      timeoutMs: Math.min(timeoutMs * (retries + 1) + judgedMs, timerMaxMs),
      async run(signal) {
        // Also without a check the case is asked.
        const scored = await judgeOne(repetition, signal);
        await options.check?.(scored);
      },
    };
  });
}

async function openSharedRun(address: string, wanted: RunRequest): Promise<SharedRun> {
  const response = await fetch(address, { method: "POST", body: JSON.stringify(wanted) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as SharedRun;
}
