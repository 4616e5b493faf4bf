import { randomUUID } from "node:crypto";
import type {
  createRunReply,
  datasetSummaries,
  finalizeRunReply,
  missingResults,
  run as runSchema,
  submitResultsReply,
} from "@touchstone/contracts";
import { z } from "zod";
import { cut, fitRows } from "./answer.ts";
import { type Ask, defineTool, evaluations, id, runOf, type Tool } from "./tool.ts";

const startRun = defineTool({
  name: "start_run",
  description:
    "Start a run of a dataset, in which you are the agent that is evaluated. Shows its first questions; answer them with submit_answers. " +
    "With runId: the next questions of that run that have no answer.",
  input: z.object({
    datasetId: id.optional(),
    runId: id.optional(),
    name: z.string().max(200).optional().describe("Of the agent that answers"),
    version: z.string().max(200).optional().describe("Of this agent"),
  }),
  writes: true,
  async run({ datasetId, runId, ...subject }, ask) {
    if ((datasetId === undefined) === (runId === undefined)) {
      return { facts: { error: "Give datasetId to start a run, or runId to go on with one." } };
    }
    if (runId !== undefined) return showQuestions(runId, ask);
    if (await hasNoCases(datasetId ?? "", ask)) {
      return { facts: { error: "The dataset has no cases. Add some first. No run was started." } };
    }
    const { name, ...more } = subject;
    const body = {
      datasetId,
      evaluationSubject: { displayName: name ?? "agent over MCP", ...more },
      sdk: { name: "mcp" },
    };
    const made = (await ask("POST", `${evaluations}/runs`, {}, body)) as z.infer<typeof createRunReply>;
    // A failed call is made again, with the dataset: that would start another run.
    return showQuestions(made.runId, ask).catch(() => ({
      facts: {
        runId: made.runId,
        error: "The run was started, but its questions could not be read. Call start_run with this runId.",
      },
    }));
  },
});

/** False for a dataset that does not exist: the API refuses it. */
async function hasNoCases(datasetId: string, ask: Ask): Promise<boolean> {
  const query = { view: "summary", datasetId };
  const listed = (await ask("GET", `${evaluations}/datasets`, query)) as z.infer<typeof datasetSummaries>;
  return listed.datasets.some(({ _id, caseCount }) => _id === datasetId && caseCount === 0);
}

/** What the run asks for and has not, as far as there is room. Reference answers are not shown: the reader is evaluated. */
async function showQuestions(runId: string, ask: Ask) {
  const hidden = { results: "none", caseStatistics: "none" };
  const run = (await ask("GET", runOf(runId), hidden)) as z.infer<typeof runSchema>;
  const { missing } = run.status === "in_progress" ? await readPlan(runId, ask, questionsShown) : { missing: [] };
  const rows = missing.slice(0, questionsShown).map(({ questionIndex, runNumber, question }) => ({
    case: questionIndex,
    runNumber,
    question: cut(question?.query, questionMaxChars),
    followUps: question?.followUps.map((query) => cut(query, 500)).slice(0, 5),
  }));
  const shown = fitRows(rows, 0).rows;
  return { facts: { runId, status: run.status, missing: missing.length, shown: shown.length }, recorded: shown };
}

/** More than fit into an answer. */
const questionsShown = 100;
const questionMaxChars = 12_000;

/** The results that the run has and lacks; the first `questions` of the latter with their questions. */
const readPlan = async (runId: string, ask: Ask, questions = 0) =>
  (await ask("GET", `${runOf(runId)}/missing-results`, { questions: String(questions) })) as z.infer<
    typeof missingResults
  >;

/** A result that the run neither lacks nor has: the API would store it beside the cases. */
async function findUnasked<Result extends { idempotencyKey: string }>(
  runId: string,
  results: readonly Result[],
  ask: Ask,
): Promise<Result | undefined> {
  const { missing, submittedKeys } = await readPlan(runId, ask);
  // Longer plans are listed in part.
  if (missing.length >= missingListedMax) return undefined;
  const known = new Set([...missing.map(({ idempotencyKey }) => idempotencyKey), ...submittedKeys]);
  return results.find(({ idempotencyKey }) => !known.has(idempotencyKey));
}

/** What `missing-results` lists at most (completions 5.5). */
const missingListedMax = 10_000;

const submitAnswers = defineTool({
  name: "submit_answers",
  description:
    "Submit answers to questions of a run; they are judged at once. The same case and runNumber again changes nothing.",
  input: z.object({
    runId: id,
    answers: z
      .array(
        z.object({
          case: z.int().min(0),
          runNumber: z.int().min(1).default(1),
          answer: z.string().max(50_000).optional(),
          error: z.string().max(2_000).optional().describe("Why there is no answer"),
          traceId: id.optional(),
        }),
      )
      .min(1)
      .max(10),
    finish: z.boolean().default(false).describe("End the run afterwards; it takes no more answers"),
  }),
  writes: true,
  async run({ runId, answers, finish }, ask) {
    if (answers.some(({ answer, error }) => (answer === undefined) === (error === undefined))) {
      return { facts: { error: "Each answer needs answer or error, not both. Nothing was submitted." } };
    }
    const results = answers.map(({ case: questionIndex, runNumber, answer, error, traceId }) => ({
      idempotencyKey: `${runId}:case-${questionIndex}:run-${runNumber}`,
      ...{ caseId: `case-${questionIndex}`, questionIndex, runNumber, traceId },
      ...(answer !== undefined && { output: { text: answer } }),
      ...(error !== undefined && { error: { type: "Error", message: error } }),
    }));
    const unasked = await findUnasked(runId, results, ask);
    if (unasked !== undefined) {
      const { questionIndex, runNumber } = unasked;
      return {
        facts: { error: `The run asks for no case ${questionIndex}, runNumber ${runNumber}. Nothing was submitted.` },
      };
    }
    const body = { batchId: randomUUID(), results };
    const stored = (await ask("POST", `${runOf(runId)}/results`, {}, body)) as z.infer<typeof submitResultsReply>;
    const missing = (await readPlan(runId, ask)).missing.length;
    const ended = finish
      ? ((await ask("POST", `${runOf(runId)}/finalize`, {}, { status: "completed" })) as z.infer<
          typeof finalizeRunReply
        >)
      : stored;
    const byKey = new Map(results.map((result) => [result.idempotencyKey, result]));
    const rows = stored.scoredResults.map(({ idempotencyKey, status, rating, justification }) => ({
      case: byKey.get(idempotencyKey)?.questionIndex,
      runNumber: byKey.get(idempotencyKey)?.runNumber,
      status,
      rating,
      reason: cut(justification, 1_000),
    }));
    const { accepted, duplicates, failedValidation } = stored;
    const { averageRating } = ended.liveStatistics;
    return {
      facts: { runId, accepted, duplicates, failedValidation, missing, status: ended.status, averageRating },
      recorded: rows,
    };
  },
});

export const runTools: readonly Tool[] = [startRun, submitAnswers];
