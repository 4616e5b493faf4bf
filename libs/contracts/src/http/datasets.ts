import { z } from "zod";
import { limits } from "../limits.ts";

/** A metric is kept only when `enabled` is true (completions 3.1). */
const metric = z.looseObject({ enabled: z.boolean().optional() });

/** Settings that a dataset keeps for the features that read them (completions 3.1: stored and echoed). */
const keptSettings = {
  sovereigntyIndex: z.record(z.string(), z.json()).optional(),
  thresholds: z.record(z.string(), z.json()).optional(),
  ci: z.record(z.string(), z.json()).optional(),
};

const stringOrStrings = z.union([z.string(), z.array(z.string())]);

const testCase = z.looseObject({
  query: z.string(),
  expectedResults: z.string().nullish(),
  judgeGuideline: z.string().nullish(),
  retrievalContext: stringOrStrings.nullish(),
});

/** interface: Dataset, `questions`; completions 3.2. Unknown keys are stored and returned unchanged. */
export const question = z.looseObject({
  main_question: testCase,
  follow_up_questions: z.json().optional().describe("Later turns; kept and returned as they were sent, not scored."),
});

/** Body of `POST /custom-agent-evaluations/datasets` (completions 3.1). */
export const submittedDataset = z.object({
  name: z.string().min(1),
  description: z.string().optional(),
  numberOfRequests: z.int().min(1).max(limits.datasetRequestsMax).optional(),
  acceptanceCriteria: z.string().optional(),
  rejectionCriteria: z.string().optional(),
  evaluationCriteria: z.string().optional(),
  vectorSimilarity: metric.extend({ model: z.string().optional() }).optional(),
  jaccardSimilarity: metric.optional(),
  bleuScore: metric.optional(),
  rougeScore: metric.optional(),
  codeScorers: z.array(z.looseObject({ name: z.string().optional(), code: z.string().optional() })).optional(),
  questions: z.array(question).optional(),
  ...keptSettings,
  workspaceId: z.string().optional(),
});

/** interface: Dataset. */
export const dataset = z.object({
  _id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  numberOfRequests: z.number().int(),
  acceptanceCriteria: z.string().optional(),
  rejectionCriteria: z.string().optional(),
  evaluationCriteria: z.string().optional(),
  vectorSimilarity: metric.optional(),
  jaccardSimilarity: metric.optional(),
  bleuScore: metric.optional(),
  rougeScore: metric.optional(),
  codeScorers: z.array(z.json()).optional(),
  questions: z.array(question),
  ...keptSettings,
  status: z.literal("published"),
  createdAt: z.string(),
});

export const datasetParams = z.object({ datasetId: z.string() });
export const datasetList = z.object({ datasets: z.array(dataset) });
