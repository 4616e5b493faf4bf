import { z } from "zod";
import { limits } from "../limits.ts";
import { submittedWorkspaceId } from "../workspace.ts";
import { listEnd } from "./list-page.ts";

/** A metric is kept only when `enabled` is true (completions 3.1). */
const metric = z.looseObject({ enabled: z.boolean().optional() });

const share = z.number().min(0).max(1);

/** How pipelines use a dataset (completions 8.1). Without it CI is enabled, with 0.8, inputs shown, and 5. */
const ciSettings = z.looseObject({
  enabled: z.boolean().nullish(),
  passRateThreshold: share.nullish(),
  exposeTestInputs: z.boolean().nullish(),
  failFast: z.boolean().nullish(),
  ratingThreshold: z.number().min(limits.ratingMin).max(limits.ratingMax).nullish(),
  thresholds: z
    .looseObject({
      vectorSimilarity: share.nullish(),
      jaccardSimilarity: share.nullish(),
      bleuScore: share.nullish(),
      rougeScore: share.nullish(),
    })
    .nullish(),
});

/** Settings that a dataset keeps for the features that read them (completions 3.1: stored and echoed). */
const keptSettings = {
  sovereigntyIndex: z.record(z.string(), z.json()).optional(),
  thresholds: z.record(z.string(), z.json()).optional(),
  ci: ciSettings.optional(),
};

const stringOrStrings = z.union([z.string(), z.array(z.string())]);
const strings = z.array(z.string());

/** completions 3.2. */
const testCase = z.looseObject({
  query: z.string().min(1),
  expectedResults: z.string().nullish().describe("The reference answer."),
  judgeGuideline: z.string().nullish().describe("An instruction to the judge, for this case only."),
  retrievalContext: stringOrStrings.nullish().describe("Context that is used where nothing was retrieved."),
  expectedRetrievalContext: stringOrStrings.nullish().describe("Asks for the context match scorer."),
  expectedTrajectory: z
    .looseObject({
      tools: strings,
      mode: z.string().nullish().describe("strict, unordered, subset or superset; anything else is strict."),
    })
    .nullish()
    .describe("Asks for the trajectory match scorer."),
  smokeTest: z
    .looseObject({
      enabled: z.boolean().nullish(),
      count: z.int().min(0).max(limits.variantsPerCaseMax).nullish().describe("Default 1."),
      guidance: z.string().nullish(),
    })
    .nullish()
    .describe("Paraphrases that are made when a run starts."),
  expectedCapabilities: strings.nullish(),
  expectedKnowledgeBase: strings.nullish(),
  expectedDelegations: strings.nullish(),
});

/** The origin of a case. */
export const caseSource = z.looseObject({
  traceId: z.string().nullish(),
  sessionId: z.string().nullish(),
  signalId: z.string().nullish(),
  addedAt: z.string().nullish().describe("ISO 8601."),
});

/** interface: Dataset, `questions`; completions 3.2. Unknown keys are stored and returned unchanged. */
export const question = z.looseObject({
  main_question: testCase,
  follow_up_questions: z.array(testCase).nullish().describe("Later turns; kept, not scored."),
  source: caseSource.nullish(),
  split: z.string().nullish(),
  tags: strings.nullish(),
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
  metadata: z.json().optional(),
  ...keptSettings,
  workspaceId: submittedWorkspaceId.optional(),
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
  metadata: z.json().optional(),
  ...keptSettings,
  status: z.literal("published"),
  version: z.int().describe("Of the cases and settings; each change makes the next one."),
  createdAt: z.string(),
});

export const datasetParams = z.object({ datasetId: z.string() });

/** Query of `GET /custom-agent-evaluations/datasets`. `search` matches the summary. */
export const listDatasetsQuery = z.object({
  view: z.string().optional().describe("summary: without questions and settings, a page at a time"),
  search: z.string().optional().describe("A piece of the name or the description, in any case"),
  datasetId: z.string().optional().describe("Only this dataset, in the summary"),
  limit: z
    .string()
    .optional()
    .describe(
      `1 to ${limits.listRowsMax}, the default; of the summary 1 to ${limits.datasetPageMax}, default ${limits.datasetPageDefault}`,
    ),
  cursor: z.string().optional().describe("The dataset to continue after; take it from nextCursor"),
});

export const datasetList = z.object({ datasets: z.array(dataset), ...listEnd });

/** A dataset in the summary; a long name or description is cut to 500 characters. */
const datasetSummary = z.object({
  _id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  caseCount: z.int(),
  version: z.int(),
  createdAt: z.string(),
  updatedAt: z.string().describe("When the newest version was made"),
  lastRunAt: z.string().nullable().describe("When the newest run was created; null: there is none"),
});

export const datasetSummaries = z.object({
  datasets: z.array(datasetSummary),
  totalCount: z.int().describe("Of all that match"),
  hasNextPage: z.boolean(),
  nextCursor: z.string().nullable(),
});

/** Answer to `DELETE .../datasets/{datasetId}`. */
export const deletedDataset = z.object({ deleted: z.literal(true) });

export const datasetVersionParams = datasetParams.extend({ versionId: z.string() });

/** The versions of a dataset, newest first (completions 3.3). */
export const datasetVersions = z.array(
  z.object({
    _id: z.string(),
    versionNumber: z.int(),
    changeSummary: z.string(),
    snapshot: z.record(z.string(), z.json()).describe("The dataset as it was."),
    createdAt: z.string(),
    creator: z.string().nullable(),
  }),
);

/** Query of `GET /evaluate/datasets/batch/versions`. */
export const datasetVersionCountsQuery = z.object({ ids: z.string().optional().describe("Ids, between commas.") });

/** The number of versions of each dataset; ids of other projects are left out. */
export const datasetVersionCounts = z.object({ versionCounts: z.record(z.string(), z.int()) });
