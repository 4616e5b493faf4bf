import type { EvaluationCase } from "./dataset.ts";
import type { SubmittedResult } from "./journal.ts";
import type { TaskTracer } from "./task-tracer.ts";

/** What a task receives. */
export interface TaskInput extends EvaluationCase {
  runNumber: number;
  /** Aborted when the task takes too long, or the evaluation is interrupted. */
  signal: AbortSignal;
}

/** The answer of an agent with what is known about it. */
export interface TaskOutput {
  output: string;
  /** The id of a recorded trace, or of an OpenTelemetry trace that was exported to Touchstone. */
  traceId?: string | undefined;
  /** The texts that the agent retrieved. */
  retrievalContext?: string | string[] | undefined;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}

/** Asks the agent under test. */
export type Task = (input: TaskInput) => string | TaskOutput | Promise<string | TaskOutput>;

/** Its JSON takes at most six bytes a character and fits into a request of 10 MiB. */
const answerMaxChars = 1024 * 1024;
const messageMaxChars = 2_000;

/**
 * Asks a task about a case, again if it throws. A task that throws in the end, takes too long or answers with something else
 * than a text gives an error to submit. Rejects only when the evaluation is interrupted.
 */
export async function askTask(
  task: Task,
  {
    retries,
    timeoutMs,
    tracer,
    signal,
    ...asked
  }: EvaluationCase & {
    key: string;
    runNumber: number;
    retries: number;
    timeoutMs: number;
    tracer: TaskTracer;
    signal: AbortSignal;
  },
): Promise<SubmittedResult> {
  const { key, ...input } = asked;
  const { questionIndex, caseId, runNumber, query } = input;
  const place = { idempotencyKey: key, questionIndex, caseId, runNumber, input: { query } };
  for (let attempt = 0; ; attempt += 1) {
    const started = performance.now();
    const elapsed = (): number => Math.round(performance.now() - started);
    try {
      const { answer, traceId } = await tracer.trace(input, () =>
        withinDeadline(timeoutMs, signal, async (taskSignal) => task({ ...input, signal: taskSignal })),
      );
      const latencyMs = elapsed();
      const { output, retrievalContext, inputTokens, outputTokens, ...more } = readAnswer(answer);
      const linked = more.traceId ?? traceId;
      return {
        ...place,
        output: { text: output },
        ...(linked !== undefined && { traceId: linked }),
        ...(retrievalContext !== undefined && { retrievalContext }),
        timings: {
          latencyMs,
          ...(inputTokens !== undefined && { inputTokens }),
          ...(outputTokens !== undefined && { outputTokens }),
        },
      };
    } catch (error) {
      signal.throwIfAborted();
      if (attempt < retries) continue;
      return { ...place, error: describeFailure(error), timings: { latencyMs: elapsed() } };
    }
  }
}

/** An answer that Touchstone would refuse would be submitted again, and refused again, whenever its run is resumed. */
function readAnswer(answer: unknown): TaskOutput {
  const read = typeof answer === "string" ? { output: answer } : (answer as Record<string, unknown> | null | undefined);
  const { output, ...more } = read ?? {};
  if (typeof output !== "string") {
    throw new TypeError("The task must answer with a text, or with an object whose `output` is a text.");
  }
  const known: TaskOutput = { output };
  const isText = (value: unknown) => typeof value === "string";
  const isCount = (value: unknown) => typeof value === "number" && Number.isFinite(value);
  const isTexts = (value: unknown) => isText(value) || (Array.isArray(value) && value.every(isText));
  const members = [
    ["traceId", isText, "a text"],
    ["retrievalContext", isTexts, "a text or a list of texts"],
    ["inputTokens", isCount, "a number"],
    ["outputTokens", isCount, "a number"],
  ] as const;
  for (const [name, isValid, type] of members) {
    const value = more[name];
    // HTTP agents write null, or an empty text, for what they do not know.
    if (value === undefined || value === null || value === "") continue;
    if (!isValid(value)) throw new TypeError(`\`${name}\` of the task's answer must be ${type}.`);
    Object.assign(known, { [name]: value });
  }
  const texts = [output, known.retrievalContext ?? ""].flat();
  if (texts.reduce((sum, text) => sum + text.length, 0) > answerMaxChars) {
    throw new RangeError(`The answer with what was retrieved has more than ${answerMaxChars} characters.`);
  }
  return known;
}

/** A timer that is set to more is due at once. */
export const timerMaxMs = 2 ** 31 - 1;

/** Rejects at the deadline even if the task ignores its signal. */
async function withinDeadline<Value>(
  timeoutMs: number,
  interrupted: AbortSignal,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const deadline = new AbortController();
  const signal = AbortSignal.any([interrupted, deadline.signal]);
  const late = new Error(`The task took longer than ${timeoutMs / 1_000} s.`);
  late.name = "Timeout";
  const timer = timeoutMs > timerMaxMs ? undefined : setTimeout(() => deadline.abort(late), timeoutMs);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([run(signal), aborted]);
  } finally {
    clearTimeout(timer);
  }
}

function describeFailure(error: unknown): { type: string; message: string } {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { type: name || "Error", message: message.slice(0, messageMaxChars) };
}
