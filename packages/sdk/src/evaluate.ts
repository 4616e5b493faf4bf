import { askTask, type Task } from "./ask-task.ts";
import { bodyOf, type RunState, readRun, Touchstone } from "./client.ts";
import { type DatasetChoice, type EvaluationCase, findDataset, readCases } from "./dataset.ts";
import { packageVersion } from "./environment.ts";
import { EvaluationRun, findRunUrl } from "./evaluation-run.ts";
import { type Answer, type Journal, openJournal } from "./journal.ts";
import { type LinkedScore, requireScorerNames, type Scorer, scoreAnswer, sendScores } from "./scores.ts";
import { createSubmitter, linkTrace, type ScoredResult } from "./submit-answers.ts";
import { createTaskTracer } from "./task-tracer.ts";

/** How the answers of a run are graded. Default: by the dataset's own criteria and the default judge. */
export interface Grading {
  evaluationSettingsId?: string | undefined;
  scorerGroupId?: string | undefined;
  additionalScorerIds?: string[] | undefined;
  verdictMode?: "live" | "cache" | "replay" | undefined;
}

export interface EvaluateOptions {
  client?: Touchstone | undefined;
  dataset: DatasetChoice;
  /** Asks the agent. */
  task: Task;
  /** Scorers that run in this process; their values are stored as scores. */
  scorers?: Readonly<Record<string, Scorer>> | undefined;
  /** How often each case is asked. Default: as the dataset says, 1 unless it was changed. */
  runs?: number | undefined;
  /** How many tasks run at the same time. Default 8. */
  concurrency?: number | undefined;
  /** How often a task that throws is asked again. Default 0. */
  retries?: number | undefined;
  /** How long a task may take. Default 120 seconds. */
  timeoutMs?: number | undefined;
  /** What is evaluated: `displayName`, `version` and so on; shown on the run. */
  subject?: Readonly<Record<string, unknown>> | undefined;
  judge?: Grading | undefined;
  /** The id of an unfinished run: only what it lacks is asked. */
  resume?: string | undefined;
  /** Where `.touchstone` with the answers is kept. Default: the working directory. */
  folder?: string | undefined;
  /** Interrupts the evaluation; the run can be resumed. */
  signal?: AbortSignal | undefined;
  /** Called when the run exists and nothing is asked yet. */
  onStart?: ((run: { runId: string; url: string; total: number }) => void) | undefined;
  /** Called after each answer and each batch. */
  onProgress?: ((progress: EvaluationProgress) => void) | undefined;
}

export interface EvaluationProgress {
  total: number;
  answered: number;
  /** Answers whose task failed. */
  failed: number;
  /** Answers that are stored and judged. */
  submitted: number;
  skipped: number;
}

/** An evaluation that could not end. Its answers are kept: `resume: runId` goes on. */
export class EvaluationError extends Error {
  override readonly name = "EvaluationError";
  readonly runId: string;
  constructor(runId: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${reason} The answers are kept: resume run ${runId}.`, { cause });
    this.runId = runId;
  }
}

/**
 * Asks an agent every case of a dataset, submits the answers and ends the run. Rejects with a TypeError when there is nothing
 * to evaluate, and with an {@link EvaluationError} when the run exists and could not be ended.
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationRun> {
  const { concurrency = 8, runs, retries = 0, timeoutMs = 120_000 } = options;
  requireScorerNames(Object.keys(options.scorers ?? {}));
  requireWhole("concurrency", concurrency, 1);
  requireWhole("runs", runs ?? 1, 1);
  requireWhole("retries", retries, 0);
  if (!(timeoutMs > 0)) throw new TypeError("timeoutMs must be a number above 0.");
  const client = options.client ?? new Touchstone();
  const run = await readRun(client, options.resume || (await createRun(client, options)));
  if (run.status === "failed") throw new TypeError("The run has failed and takes no more answers.");
  try {
    return await answerRun(client, run, { ...options, concurrency, retries, timeoutMs });
  } catch (error) {
    throw new EvaluationError(run.runId, error);
  }
}

/** Creates a run of a dataset that has cases. */
export async function createRun(
  client: Touchstone,
  { dataset, subject, judge }: Pick<EvaluateOptions, "dataset" | "subject" | "judge">,
): Promise<string> {
  const datasetId = await findDataset(client, dataset);
  const { cases } = await readCases(client, { datasetId, datasetVersion: null });
  if (cases.length === 0) throw new TypeError("The dataset has no cases.");
  const { runId } = await bodyOf(
    client.api.POST("/api/v1/custom-agent-evaluations/runs", {
      body: {
        datasetId,
        ...Object.fromEntries(Object.entries(judge ?? {}).filter(([, value]) => value !== undefined)),
        ...(subject !== undefined && { evaluationSubject: subject as never }),
        sdk: { name: "@touchstone/sdk", version: packageVersion() },
      },
    }),
  );
  return runId;
}

type Settled = Omit<EvaluateOptions, "concurrency" | "retries" | "timeoutMs"> & {
  concurrency: number;
  retries: number;
  timeoutMs: number;
};

async function answerRun(client: Touchstone, run: RunState, options: Settled): Promise<EvaluationRun> {
  const { runId } = run;
  const { cases, numberOfRequests } = await readCases(client, run);
  const asked = listRepetitions(runId, cases, options.runs ?? numberOfRequests);
  const stored = options.resume === undefined ? new Set<string>() : await readStoredKeys(client, runId);
  const journal = await openJournal(options.folder ?? ".", runId);
  const url = await findRunUrl(client, runId);
  const scorerFailures: Record<string, string> = {};
  try {
    options.onStart?.({ runId, url, total: asked.length });
    if (run.status === "in_progress") {
      await submitAll(client, runId, { ...options, asked, stored, journal, scorerFailures });
    }
    const ended = await EvaluationRun.end(client, runId, { url, scorerFailures });
    await journal.remove();
    return ended;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** One answer that a run asks for. */
export interface Repetition {
  key: string;
  one: EvaluationCase;
  runNumber: number;
}

/** Every case once, then every case again: an interrupted run has seen all cases as early as possible. */
export function listRepetitions(runId: string, cases: readonly EvaluationCase[], runs: number): Repetition[] {
  return Array.from({ length: runs }, (_, index) => index + 1).flatMap((runNumber) =>
    cases.map((one) => ({ key: `${runId}:${one.caseId}:run-${runNumber}`, one, runNumber })),
  );
}

async function readStoredKeys(client: Touchstone, runId: string): Promise<Set<string>> {
  const { submittedKeys } = await bodyOf(
    client.api.GET("/api/v1/custom-agent-evaluations/runs/{runId}/missing-results", { params: { path: { runId } } }),
  );
  return new Set(submittedKeys);
}

/** Submits what the journal has and the server lacks, then asks the rest. */
async function submitAll(
  client: Touchstone,
  runId: string,
  {
    asked,
    stored,
    journal,
    scorerFailures,
    ...options
  }: Settled & {
    asked: readonly Repetition[];
    stored: ReadonlySet<string>;
    journal: Journal;
    scorerFailures: Record<string, string>;
  },
): Promise<void> {
  const { scorers = {}, task, retries, timeoutMs, concurrency } = options;
  const progress: EvaluationProgress = {
    total: asked.length,
    answered: stored.size,
    failed: 0,
    submitted: stored.size,
    skipped: 0,
  };
  const report = (): void => options.onProgress?.({ ...progress });
  const tracer = await createTaskTracer(client);
  const signal = options.signal ?? new AbortController().signal;
  const submitter = createSubmitter({
    client,
    runId,
    tracer,
    signal,
    onScored(results: readonly ScoredResult[]) {
      progress.submitted += results.length;
      progress.skipped += results.filter(({ status }) => status === "skipped").length;
      report();
    },
  });
  const noteFailures = (answer: Answer): void => {
    for (const [name, message] of Object.entries(answer.scorerFailures ?? {})) scorerFailures[name] ??= message;
  };
  const submit = async (answer: Answer): Promise<void> => {
    progress.answered += 1;
    if (answer.result.error !== undefined) progress.failed += 1;
    report();
    await submitter.add(answer);
  };
  const answerOne = async ({ key, one, runNumber }: Repetition): Promise<void> => {
    const result = await askTask(task, { ...one, key, runNumber, retries, timeoutMs, tracer, signal });
    const output = result.output?.text;
    const failures: Record<string, string> = {};
    const scores =
      output === undefined
        ? []
        : await scoreAnswer(scorers, { ...one, output, runNumber }, { runId, key }, (name, error) => {
            failures[name] = error instanceof Error ? error.message : String(error);
          });
    const answer = { result, scores, scorerFailures: failures };
    noteFailures(answer);
    await journal.write(answer);
    await submit(answer);
  };

  const kept = new Map(journal.answers.map((answer) => [answer.result.idempotencyKey, answer]));
  // Their values are missing in the run, whichever process asked the scorers.
  for (const answer of kept.values()) noteFailures(answer);
  // The process may have ended between a batch and its scores.
  const again: LinkedScore[] = [];
  const scored = [...kept.values()].filter(isStored(stored)).filter(({ scores }) => scores.length > 0);
  const link = async (answer: Answer) => void again.push(...(await linkTrace(tracer, answer)).scores);
  await forEachParallel(scored, concurrency, link, signal);
  await sendScores(client, again);
  for (const answer of kept.values()) if (!isStored(stored)(answer)) await submit(answer);
  const left = asked.filter(({ key }) => !stored.has(key) && !kept.has(key));
  await forEachParallel(left, concurrency, answerOne, signal);
  await submitter.finish();
}

const isStored =
  (stored: ReadonlySet<string>) =>
  ({ result }: Answer): boolean =>
    stored.has(result.idempotencyKey);

/**
 * Starts nothing more once one item failed or the signal is aborted; rejects with the first failure when what had been started has
 * ended, so that no answer is lost.
 */
async function forEachParallel<Item>(
  items: readonly Item[],
  parallel: number,
  work: (item: Item) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  let failure: { error: unknown } | null = null;
  const worker = async (): Promise<void> => {
    while (next < items.length && failure === null) {
      next += 1;
      try {
        signal.throwIfAborted();
        await work(items[next - 1] as Item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, worker));
  if (failure !== null) throw (failure as { error: unknown }).error;
}

function requireWhole(name: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least) throw new TypeError(`${name} must be a whole number from ${least}.`);
}
