import { z } from "zod";
import { limits } from "../limits.ts";
import { pageEnd } from "./list-page.ts";

/** Query of `GET .../runs/{runId}/gate` (completions 5.6). At least one check is needed. */
export const gateQuery = z.object({
  metric: z
    .string()
    .optional()
    .describe("Name of a score that clients gave (POST /scores), whose values are gated instead of ratings"),
  failUnder: z.string().optional().describe("A number: the least average rating that passes"),
  noRegression: z.string().optional().describe("true or 1: compare the average with the newest baseline's"),
  tolerance: z.string().optional().describe("A number, default 0.5: how far below the baseline still passes"),
  method: z.string().optional().describe("paired: compare case by case with the baseline"),
  minEffect: z
    .string()
    .optional()
    .describe("A number above 0, default 0.5: the least difference that matters (paired)"),
  strict: z.string().optional().describe("true or 1: undecided does not pass either (paired)"),
  baseline: z.string().optional().describe("Run to compare with. Default: the newest baseline"),
  scorer: z.string().optional().describe("Name or id of an additional scorer whose ratings are gated instead"),
  record: z.string().optional().describe("true or 1: keep the verdict"),
  caller: z.string().optional().describe("Label of who asks, cut at 60 characters"),
});

const gateCheck = z.object({
  check: z.enum(["fail-under", "no-regression", "paired", "pass-rate"]),
  passed: z.boolean(),
  threshold: z.number().nullable(),
  actual: z.number().nullable(),
  detail: z.string(),
});
export type GateCheck = z.infer<typeof gateCheck>;

/** The result of a case-by-case comparison. Null numbers: fewer than six cases are rated in both runs. */
const pairedComparison = z.object({
  outcome: z.enum(["regressed", "improved", "no_evidence", "undecided"]),
  cases: z.number().int().describe("Rated in both runs"),
  difference: z.number().nullable().describe("Mean over the cases of this run minus the baseline"),
  interval: z.object({ level: z.number(), low: z.number(), high: z.number() }).nullable(),
  pValue: z.number().nullable(),
  minEffect: z.number(),
  moreCases: z.number().int().nullable().describe("About how many more would decide; null when decided or unknown"),
});
export type PairedComparison = z.infer<typeof pairedComparison>;

/** 200 of the gate. The status is 200 for either verdict. */
export const gate = z.object({
  runId: z.string(),
  datasetId: z.string(),
  gatedScorer: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  gatedMetric: z
    .string()
    .nullable()
    .describe("The score that is gated instead; averages and differences are of its values"),
  averageRating: z.number().nullable().describe("Rounded to 2 decimals, as it is compared"),
  resultCount: z.number().int(),
  baselineRunId: z.string().nullable(),
  baselineAverage: z.number().nullable(),
  scoringRevision: z.number().int().describe("How often the run had been rescored"),
  checks: z.array(gateCheck),
  paired: pairedComparison.nullable(),
  passed: z.boolean(),
});
export type Gate = z.infer<typeof gate>;

/** Query of `GET /evaluate/ci/gates`. */
export const listGatesQuery = z.object({
  datasetId: z.string().optional(),
  branch: z.string().optional().describe("The branch that the run's subject names"),
  commit: z.string().optional().describe("The commit that it names; both may be shortened"),
  runIds: z
    .string()
    .optional()
    .describe(`At most ${limits.runPageMax} ids, separated by commas: only the newest verdict on each of these runs`),
  ciRuns: z.string().optional().describe("none: without the verdicts of CI runs, which have a list of their own"),
  cursor: z.string().optional().describe("Only verdicts before this id"),
  limit: z.string().optional().describe(`1 to ${limits.runPageMax}, default ${limits.runPageDefault}`),
});

/** 200 of `GET /evaluate/ci/gates`: recorded verdicts, the newest first. */
export const recordedGates = z.object({
  gates: z.array(
    z.object({
      _id: z.string(),
      runId: z.string(),
      datasetId: z.string(),
      datasetName: z.string().nullable().describe("Null when the dataset is gone"),
      branch: z.string().nullable().describe("That the run's subject names, in `git` or `metadata`"),
      commit: z.string().nullable(),
      passed: z.boolean(),
      averageRating: z.number().nullable(),
      baselineAverage: z.number().nullable(),
      checks: z.array(gateCheck),
      scoringRevision: z.number().int(),
      caller: z.string().nullable(),
      createdAt: z.string(),
    }),
  ),
  totalCount: z.int().describe("Of all that match"),
  ...pageEnd,
});

/** Query of `GET /evaluate/ci/gates/preview`: the gate of the dataset's newest completed run. */
export const gatePreviewQuery = gateQuery
  .omit({ record: true, caller: true })
  .extend({ datasetId: z.string().optional() });

const comparedRun = z.object({
  runId: z.string(),
  createdAt: z.string(),
  version: z.string().nullable(),
  averageRating: z.number().nullable(),
});

const comparedCase = z.object({
  rating: z.number().nullable().describe("Mean of the repetitions, rounded to 1 decimal"),
  output: z.string().nullable(),
  justification: z.string().nullable(),
  error: z.object({ type: z.string().optional(), message: z.string().optional() }).nullable(),
  resultId: z.string().nullable().describe("Of the result whose texts these are: the first repetition"),
  traceId: z.string().nullable(),
  latencyMs: z.number().nullable(),
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
});

/** Query of `GET /evaluate/runs/compare`. */
export const compareRunsQuery = z.object({
  baseline: z.string().optional(),
  candidate: z.string().optional(),
  scorer: z.string().optional().describe("Name or id of an additional scorer whose ratings are compared instead"),
  view: z.string().optional().describe("preview: texts are cut at 300 characters"),
});

/**
 * 200 of `GET /evaluate/runs/compare` (completions 5.7). If a case is missing in a run, that side's fields are all
 * null.
 */
export const comparedRuns = z.object({
  baselineRun: comparedRun,
  candidateRun: comparedRun,
  comparedScorer: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  cases: z.array(
    z.object({
      questionIndex: z.number().int().nullable(),
      query: z.string().nullable(),
      expected: z.string().nullable().describe("What the candidate's case expects, else the baseline's"),
      baseline: comparedCase,
      candidate: comparedCase,
      delta: z.number().nullable(),
    }),
  ),
  paired: pairedComparison,
});

/** 200 of `GET /evaluate/datasets/{datasetId}/run-comparison` (completions 5.7). */
export const comparedVersions = z.object({
  versions: z.array(
    z.object({
      version: z.string(),
      runCount: z.number().int(),
      ratedCount: z.number().int(),
      averageRating: z.number().nullable(),
      lastRunAt: z.string(),
      latestRunId: z.string(),
    }),
  ),
  comparison: z
    .object({
      candidateVersion: z.string(),
      baselineVersion: z.string(),
      candidateAvg: z.number().nullable(),
      baselineAvg: z.number().nullable(),
      passed: z.boolean(),
    })
    .nullable(),
});
