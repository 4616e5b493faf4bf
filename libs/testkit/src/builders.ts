import { randomUUID } from "node:crypto";
import type { submittedBatch, submittedDataset, submittedResult, submittedTrace } from "@touchstone/contracts";
import type { z } from "zod";

export type TraceBody = z.input<typeof submittedTrace>;
export type DatasetBody = z.input<typeof submittedDataset>;
export type ResultBody = z.input<typeof submittedResult>;
export type BatchBody = z.input<typeof submittedBatch>;

/** A trace as an agent submits it: complete and ordinary. Each has a new span id. */
export function buildTrace(overrides: Partial<TraceBody> = {}): TraceBody {
  return {
    name: "support-agent",
    input: "Where is my order?",
    output: "It arrives on Tuesday.",
    latency_ms: 420,
    framework: "langchain",
    model: "gpt-5.6-luna",
    input_tokens: 120,
    output_tokens: 12,
    spanId: randomUUID(),
    ...overrides,
  };
}

/** A dataset of two questions, both with an expected result. */
export function buildDataset(overrides: Partial<DatasetBody> = {}): DatasetBody {
  return {
    name: "Orders",
    acceptanceCriteria: "Names the day of arrival.",
    questions: [
      { main_question: { query: "Where is my order?", expectedResults: "It arrives on Tuesday." } },
      { main_question: { query: "Can I return it?", expectedResults: "Yes, within 30 days." } },
    ],
    ...overrides,
  };
}

/** One result with an answer and a unique idempotency key. */
export function buildResult(overrides: Partial<ResultBody> = {}): ResultBody {
  return {
    idempotencyKey: randomUUID(),
    questionIndex: 0,
    runNumber: 1,
    input: { query: "Where is my order?" },
    output: { text: "It arrives on Tuesday." },
    ...overrides,
  };
}

/** A batch of the given results, by default a single ordinary one. */
export function buildBatch(
  results: readonly ResultBody[] = [buildResult()],
  batchId: string = randomUUID(),
): BatchBody {
  return { batchId, results: [...results] as BatchBody["results"] };
}
