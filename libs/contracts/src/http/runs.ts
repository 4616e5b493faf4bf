import { z } from "zod";
import { verdictMode } from "../bus/judge.v1.ts";
import { limits } from "../limits.ts";
import { submittedWorkspaceId } from "../workspace.ts";
import { pageEnd } from "./list-page.ts";

export const runParams = z.object({ runId: z.string() });

/** interface: States and transitions, Run status. `completed` and `failed` are terminal. */
export const runStatus = z.enum(["in_progress", "completed", "failed"]);

/** interface: Result status. */
export const resultStatus = z.enum(["scored", "skipped", "failed"]);

/** Body of `POST /custom-agent-evaluations/runs` (interface: POST runs; completions 5.1). */
export const submittedRun = z.object({
  datasetId: z.string(),
  evaluationSettingsId: z.string().nullish(),
  scorerGroupId: z.string().nullish(),
  additionalScorerIds: z.array(z.string()).nullish(),
  evaluationSubject: z.record(z.string(), z.json()).nullish(),
  split: z.string().nullish(),
  runSource: z.string().nullish(),
  verdictMode: verdictMode.nullish(),
  sdk: z.record(z.string(), z.json()).nullish(),
  workspaceId: submittedWorkspaceId.nullish(),
});

const smokeTestVariants = z
  .array(z.object({ questionIndex: z.number().int(), variants: z.array(z.string()) }))
  .nullable();

/** 201 of `POST /custom-agent-evaluations/runs` (completions 5.1). */
export const createRunReply = z.object({
  _id: z.string(),
  runId: z.string(),
  datasetId: z.string(),
  evaluationSettingsId: z.string().nullable(),
  scorerGroupId: z.string().nullable(),
  additionalScorerIds: z.array(z.string()).nullable(),
  status: runStatus,
  smokeTestVariants,
  limits: z.object({
    maxBatchSize: z.number().int(),
    maxTraceBytesPerResult: z.number().int(),
    maxMetadataBytesPerResult: z.number().int(),
  }),
});

/** interface: Run, `liveStatistics`. Variants are excluded; averages are null when nothing is rated. */
export const liveStatistics = z.object({
  averageRating: z.number().nullable(),
  minRating: z.number().nullable(),
  maxRating: z.number().nullable(),
  ratedCount: z.number().int(),
  skippedCount: z.number().int(),
  failedCount: z.number().int(),
});

const codeScorerResult = z.object({
  name: z.string(),
  score: z.number().nullable(),
  reasoning: z.string().optional(),
  error: z.string().optional(),
});

const judgeScorerResult = z.object({
  scorerId: z.string(),
  name: z.string().nullable(),
  rating: z.number().nullable(),
  justification: z.string().nullable(),
});

const similarity = {
  vectorSimilarity: z.number().nullable().optional(),
  jaccardSimilarity: z.number().nullable().optional(),
  bleuScore: z.number().nullable().optional(),
  rougeScore: z.number().nullable().optional(),
};

const verdictId = z
  .string()
  .nullable()
  .optional()
  .describe("The record of the verdict, see GET /verdicts/{verdictId}; null or absent if there is none");

/** interface: Result row, as it is stored. */
export const resultRow = z.object({
  questionIndex: z.number().int().nullable(),
  questionText: z.string().nullable(),
  runNumber: z.number().int().nullable(),
  input: z.looseObject({ query: z.string().optional() }).nullable(),
  output: z.looseObject({ text: z.string().optional() }).nullable(),
  rating: z.number().nullable(),
  justification: z.string().nullable(),
  traceId: z.string().nullable(),
  latencyMs: z.number().nullable(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  ...similarity,
  codeScorerResults: z.array(codeScorerResult).nullable(),
  judgeScorerResults: z.array(judgeScorerResult.extend({ status: resultStatus, verdictId })).nullable(),
  isSmokeTestVariant: z.boolean(),
  smokeTestVariantText: z.string().nullable(),
  status: resultStatus,
  error: z.object({ type: z.string().optional(), message: z.string().optional() }).nullable(),
  batchId: z.string(),
  verdictSource: verdictMode
    .nullable()
    .optional()
    .describe("Where the rating comes from: a judge asked just then, or the record. Null when no judge rated it."),
  verdictId,
});

/** interface: Result row, as a run shows it. */
export const shownResult = resultRow.extend({
  _id: z.string(),
  skipCode: z.string().nullable().describe("Why nothing was rated (no_key, timeout, ...); null unless skipped"),
});

/** completions 5.10, `ratingInterval`: the 95 % interval of the mean rating over cases; null below two cases. */
const ratingInterval = z.object({
  level: z.number(),
  low: z.number(),
  high: z.number(),
  cases: z.number().int(),
});

const ratingHistogram = z
  .array(z.number().int())
  .length(limits.ratingBars)
  .describe("Rated results from 0 to 1, above 1 to 2, ... above 9 to 10; variants excluded");

const caseStatisticsShown = z
  .string()
  .optional()
  .describe("none: `caseStatistics` is empty, which is most of a run of many cases; default all");

/** Query of `GET .../runs/{runId}`. */
export const getRunQuery = z.object({
  results: z
    .string()
    .optional()
    .describe("none: without its results, which GET .../results reads page by page; default all"),
  caseStatistics: caseStatisticsShown,
});

/** interface: Run. */
export const run = z.object({
  _id: z.string(),
  runId: z.string(),
  datasetId: z.string(),
  datasetName: z.string().nullable().describe("As it is now; null when the dataset is gone"),
  datasetVersion: z.number().int().nullable().describe("The version whose cases are asked; null when it has none"),
  evaluationSettingsId: z.string().nullable(),
  scorerGroupId: z.string().nullable(),
  additionalScorerIds: z.array(z.string()).nullable(),
  scorerBreakdown: z
    .array(
      z.object({
        scorerId: z.string(),
        name: z.string().nullable(),
        primary: z.boolean(),
        averageRating: z.number().nullable(),
        scored: z.number().int(),
        ratingHistogram,
      }),
    )
    .nullable(),
  evaluationSubject: z.record(z.string(), z.json()).nullable(),
  status: runStatus,
  runSource: z.string(),
  verdictMode,
  scoringRevision: z.number().int().describe("How often its skipped results were judged again after it ended"),
  resultCount: z.number().int(),
  askedCount: z
    .number()
    .int()
    .nullable()
    .describe("How many results the dataset asks for, variants excluded; null once the run has ended"),
  averageRating: z.number().nullable(),
  ratingInterval: ratingInterval.nullable(),
  ratingHistogram,
  liveStatistics,
  skips: z
    .array(z.object({ code: z.string(), count: z.number().int() }))
    .describe("Why results were skipped, most frequent first; variants excluded"),
  metrics: z
    .array(
      z.object({
        name: z.string(),
        kind: z.enum(["similarity", "code"]),
        average: z.number().nullable().describe("Between 0 and 1; null when it was computed nowhere"),
        computed: z.number().int().describe("Results it was computed for"),
        passed: z.number().int().nullable().describe("Of a code scorer: results that reached 0.5"),
      }),
    )
    .describe("Similarity metrics and code scorers over all results but variants, in their order"),
  caseStatistics: z.array(
    z.object({
      questionIndex: z.number().int(),
      ratedCount: z.number().int(),
      averageRating: z.number(),
      minRating: z.number(),
      maxRating: z.number(),
      ratingVariance: z.number(),
    }),
  ),
  results: z.array(shownResult).describe("Empty with `results=none`"),
  smokeTestVariants: smokeTestVariants.describe("As they were made when the run was created"),
  createdAt: z.string(),
});

/** A score that the client of an external run computed (completions 5.13). */
const submittedScorerResult = codeScorerResult.extend({
  name: z.string().min(1).max(limits.scoreNameMaxChars),
  score: z.number().min(0).max(1).nullable(),
});

/** One result of a batch (completions 5.3). Unknown fields, `observableTrace` and `metadata` are ignored. */
export const submittedResult = z.looseObject({
  idempotencyKey: z.string(),
  questionIndex: z.number().int().optional(),
  runNumber: z.number().int().optional(),
  caseId: z.string().optional(),
  input: z.looseObject({ query: z.string().optional() }).nullish(),
  output: z.looseObject({ text: z.string().optional() }).nullish(),
  error: z.looseObject({ type: z.string().optional(), message: z.string().optional() }).nullish(),
  traceId: z.string().nullish(),
  retrievalContext: z.union([z.string(), z.array(z.string())]).nullish(),
  timings: z
    .looseObject({
      latencyMs: z.number().nullish(),
      inputTokens: z.number().nullish(),
      outputTokens: z.number().nullish(),
    })
    .nullish(),
  isSmokeTestVariant: z.boolean().optional(),
  smokeTestVariantText: z.string().nullish(),
  codeScorerResults: z
    .array(submittedScorerResult)
    .max(limits.codeScorersMax)
    .nullish()
    .describe("Read in external runs only: scores that the client computed"),
});

/**
 * Body of `POST .../results`. A result that does not fit {@link submittedResult} is dropped and counted in
 * `failedValidation`; only what this schema states refuses the batch.
 */
export const submittedBatch = z.object({
  batchId: z.string().min(1),
  results: z.array(z.record(z.string(), z.json())).min(1).max(limits.resultsPerBatchMax),
});

/** 200 of `POST .../results`. `scoredResults` is in submission order, dropped results omitted. */
export const submitResultsReply = z.object({
  runId: z.string(),
  batchId: z.string(),
  accepted: z.number().int(),
  duplicates: z.number().int(),
  failedValidation: z.number().int(),
  status: runStatus,
  scoredResults: z.array(
    z.object({
      idempotencyKey: z.string(),
      rating: z.number().nullable(),
      justification: z.string().nullable(),
      status: resultStatus,
      vectorSimilarity: z.number().nullable().describe("Null where the metric is off or could not be computed"),
      jaccardSimilarity: z.number().nullable(),
      bleuScore: z.number().nullable(),
      rougeScore: z.number().nullable(),
      codeScorerResults: z.array(codeScorerResult).nullable(),
      judgeScorerResults: z.array(judgeScorerResult).nullable(),
      deduped: z.literal(true).optional(),
    }),
  ),
  liveStatistics,
});

/** Body of `POST .../finalize`, optional (completions 5.4). */
export const finalizeRunBody = z.object({ status: z.enum(["completed", "failed"]).nullish() });
export const finalizeRunSentences = { status: 'status must be "completed" or "failed"' } as const;

/** 200 of `POST .../finalize` (completions 5.4). */
export const finalizeRunReply = z.object({
  runId: z.string(),
  _id: z.string(),
  datasetId: z.string(),
  status: runStatus,
  resultCount: z.number().int(),
  averageRating: z.number().nullable(),
  liveStatistics,
});

/** Query of `GET /custom-agent-evaluations/runs` (completions 5.2). */
export const listRunsQuery = z.object({
  limit: z.string().optional().describe("1 to 200, default 50"),
  cursor: z.string().optional().describe("The run to continue after; take it from nextCursor"),
  datasetId: z.string().optional(),
  status: z.string().optional().describe("in_progress, completed or failed"),
  runSource: z.string().optional().describe("sdk, ci, trace-eval or whatever the run was created with"),
  subject: z.string().optional().describe("The name of the agent: `displayName`, else `name`, of the subject"),
  version: z
    .string()
    .optional()
    .describe("The agent's version: `version`, else `metadata.version`, of the subject; (unversioned): it states none"),
  judged: z
    .string()
    .optional()
    .describe("true: without trace evaluations and external runs that no judge rated, as versions are compared"),
  from: z.string().optional().describe("ISO 8601: created at this time or later"),
  to: z.string().optional().describe("ISO 8601: created before this time"),
  search: z
    .string()
    .optional()
    .describe("A part of the agent's name, version, branch, commit, or the beginning of the run's id"),
  caseStatistics: caseStatisticsShown,
});

/** A run without its results, newest first. */
export const runList = z.object({
  runs: z.array(run.omit({ results: true, smokeTestVariants: true, skips: true, metrics: true })),
  totalCount: z.number().int().describe("Runs that match, on all pages"),
  ...pageEnd,
});

export const missingResultsQuery = z.object({
  questions: z
    .string()
    .optional()
    .describe(
      `The number of missing results that come with their question, 0, the default, to ${limits.missingQuestionsMax}`,
    ),
});

/**
 * 200 of `GET .../missing-results` (completions 5.5): the stored results, and those that the dataset still requires.
 */
export const missingResults = z.object({
  runId: z.string(),
  submittedKeys: z.array(z.string()),
  submittedCount: z.number().int(),
  missing: z.array(
    z.object({
      questionIndex: z.number().int(),
      runNumber: z.number().int(),
      idempotencyKey: z.string(),
      question: z
        .object({ query: z.string(), followUps: z.array(z.string()).describe("Asked afterwards, in this order") })
        .optional()
        .describe("Of the dataset version that the run keeps; of as many of the first ones as were asked for"),
    }),
  ),
});

export const deletedRun = z.object({ deleted: z.literal(true) });

/** Far more than a run has, duplicates included: a longer list is refused before its items are read. */
const sentScorersMax = 1_000;

/** Body of `POST .../rescore`, optional: the graders of an external run that has no ratings yet (completions 5.13). */
export const rescoreRunBody = submittedRun
  .pick({ evaluationSettingsId: true, scorerGroupId: true })
  .extend({ additionalScorerIds: z.array(z.string()).max(sentScorersMax).nullish() });

export const rescoreRunSentences = {
  evaluationSettingsId: "evaluationSettingsId must be a string",
  scorerGroupId: "scorerGroupId must be a string",
  additionalScorerIds: {
    too_big: `additionalScorerIds must have at most ${limits.additionalScorersMax} entries`,
    otherwise: "additionalScorerIds must be an array of strings",
  },
} as const;

/** 200 of `POST .../rescore` (completions 5.11). Call it again while `remaining` is not 0. */
export const rescoreRunReply = z.object({
  runId: z.string(),
  status: runStatus,
  rescored: z.number().int().describe("Judged now, and stored in the place of the skipped ones"),
  stillSkipped: z.number().int().describe("Asked about again without a rating; they stay as they were"),
  remaining: z.number().int().describe("Not asked about, because the time of the call was over"),
  scoringRevision: z.number().int(),
  averageRating: z.number().nullable(),
  liveStatistics,
});

/** The event of `GET .../runs/{runId}/stream`. */
export const runProgress = z.object({
  runId: z.string(),
  status: runStatus,
  resultCount: z.number().int(),
  averageRating: z.number().nullable(),
  liveStatistics,
});
