import { randomUUID } from "node:crypto";
import { type AnswerOf, bodyOf, type Touchstone } from "./client.ts";
import type { Answer, SubmittedResult } from "./journal.ts";
import { type LinkedScore, sendScores } from "./scores.ts";
import type { TaskTracer } from "./task-tracer.ts";

/** An answer as the server stored it. */
export type ScoredResult = AnswerOf<"submitResults", 200>["scoredResults"][number];

/** Submits answers in batches as they come. */
export interface Submitter {
  /** Resolves when more answers may come. Rejects when a batch could not be submitted. */
  add(answer: Answer): Promise<void>;
  /** Resolves when every answer is stored by the server. Rejects like `add`. */
  finish(): Promise<void>;
}

const batchMax = 10;
const batchMaxBytes = 8 * 1024 * 1024;
/** Judges answer batches in parallel; a third one would only wait for them. */
const batchesAtOnce = 2;
/** Agents wait while this many answers wait for judges. */
const waitingMax = 50;

/** A batch is ten answers; fewer when no other batch is on its way. */
export function createSubmitter({
  client,
  runId,
  tracer,
  signal,
  onScored,
}: {
  client: Touchstone;
  runId: string;
  tracer: TaskTracer;
  /** Ends requests that are being answered; the submitter fails then. */
  signal: AbortSignal;
  onScored: (results: readonly ScoredResult[]) => void;
}): Submitter {
  const waiting: Answer[] = [];
  let inFlight = 0;
  let failure: { error: unknown } | null = null;
  let wake: (() => void)[] = [];

  function start(): void {
    while (failure === null && waiting.length >= (inFlight === 0 ? 1 : batchMax) && inFlight < batchesAtOnce) {
      inFlight += 1;
      submit(takeBatch(waiting))
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          inFlight -= 1;
          start();
          const woken = wake;
          wake = [];
          for (const resolve of woken) resolve();
        });
    }
  }

  async function submit(batch: readonly Answer[]): Promise<void> {
    const linked = await Promise.all(batch.map((answer) => linkTrace(tracer, answer)));
    const { scoredResults, failedValidation } = await bodyOf(
      client.api.POST("/api/v1/custom-agent-evaluations/runs/{runId}/results", {
        params: { path: { runId } },
        body: { batchId: randomUUID(), results: linked.map(({ result }) => result) as never },
        signal,
      }),
    );
    if (failedValidation > 0)
      throw new TypeError(`Touchstone refused ${failedValidation} answers of a batch as invalid.`);
    await sendScores(
      client,
      linked.flatMap(({ scores }) => scores),
    );
    onScored(scoredResults);
  }

  async function waitWhile(isBusy: () => boolean): Promise<void> {
    while (failure === null && isBusy()) await new Promise<void>((resolve) => wake.push(resolve));
    if (failure !== null) throw failure.error;
  }

  return {
    async add(answer) {
      waiting.push(answer);
      start();
      await waitWhile(() => waiting.length >= waitingMax);
    },
    finish: () => waitWhile(() => waiting.length > 0 || inFlight > 0),
  };
}

/** An answer and its scores with the id by which Touchstone knows their trace; without one if the project has no such trace. */
export async function linkTrace(
  tracer: TaskTracer,
  { result: { traceId, ...result }, scores }: Answer,
): Promise<{ result: SubmittedResult; scores: LinkedScore[] }> {
  const resolved = traceId === undefined ? undefined : await tracer.resolve(traceId);
  if (resolved === undefined) return { result, scores };
  return {
    result: { ...result, traceId: resolved },
    scores: scores.map((score) => ({ ...score, traceId: resolved })),
  };
}

function takeBatch(waiting: Answer[]): Answer[] {
  let count = 0;
  let bytes = 0;
  for (const { result } of waiting.slice(0, batchMax)) {
    bytes += Buffer.byteLength(JSON.stringify(result));
    if (count > 0 && bytes > batchMaxBytes) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
