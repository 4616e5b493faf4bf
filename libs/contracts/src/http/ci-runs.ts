import { z } from "zod";
import { limits } from "../limits.ts";
import { submittedWorkspaceId } from "../workspace.ts";
import { truncatedBy } from "./list-page.ts";

/**
 * CI runs on the wire (completions 8): snake_case. Bodies and queries are also accepted in camelCase; if both are
 * present the snake_case one counts.
 */

const share = z.number().min(0).max(1);
const gitContext = z
  .record(z.string(), z.json())
  .describe("branch, commit_sha, pr_number, repo_url, triggered_by and any other member; comes back as it was sent.");

export const ciRunParams = z.object({ ciRunId: z.string() });

/** Body of `POST /ingest/ci-runs` (completions 8.2). */
export const submittedCiRun = z.object({
  dataset_id: z.string().min(1),
  agent_name: z.string().max(limits.ciAgentNameMaxChars).nullish(),
  pass_rate_threshold: share.nullish().describe("Default: the dataset's."),
  git_context: gitContext.nullish().describe(`An object of at most ${limits.gitContextMaxBytes} bytes of JSON.`),
  workspaceId: submittedWorkspaceId.optional(),
});

/** 201 of `POST /ingest/ci-runs`. */
export const createdCiRun = z.object({
  run_id: z.string().describe("The id of the CI run and of its evaluation run."),
  dataset_id: z.string(),
  agent_id: z.string().nullable().describe("Null: a CI run registers no agent."),
  total_questions: z.int(),
  pass_rate_threshold: z.number(),
  test_cases: z
    .array(z.object({ index: z.int(), query: z.string() }))
    .describe("Empty when the dataset does not expose its inputs."),
  expires_at: z.string().describe("ISO 8601; two hours after creation."),
});

const submittedCiResult = z.object({
  question_index: z.int().min(0),
  output: z.json().describe("What the agent answered; what is no string is judged as its JSON text."),
  input: z.json().optional().describe("What was asked, when it was not the case's query."),
  latency_ms: z.number().nullish(),
  error: z
    .object({ type: z.string().nullish(), message: z.string().nullish() })
    .nullish()
    .describe("The agent failed: rated 0 without a judge. The output may then be left out."),
  trace_id: z.string().nullish(),
});

/** Body of `POST /ingest/ci-runs/{ciRunId}/results` (completions 8.3): one result, or several. */
export const submittedCiResults = z.union([
  submittedCiResult,
  z.object({ results: z.array(submittedCiResult).min(1).max(limits.resultsPerBatchMax) }),
]);

/** The scores of one result of a CI run. */
export const ciScore = z.object({
  question_index: z.int(),
  rating: z.number().nullable().describe("0 to 10; null when skipped, which does not pass."),
  justification: z.string().nullable(),
  passed: z.boolean(),
  gate_fired: z
    .boolean()
    .describe("The pass rate can no longer reach its threshold, and the dataset fails fast: the run is finalized."),
  status: z.enum(["scored", "skipped", "failed"]),
  metrics: z.object({
    vectorSimilarity: z.number().nullable().optional(),
    jaccardSimilarity: z.number().nullable().optional(),
    bleuScore: z.number().nullable().optional(),
    rougeScore: z.number().nullable().optional(),
  }),
  deduped: z.literal(true).optional().describe("The question had been answered before; this is its stored score."),
});
export type CiScore = z.infer<typeof ciScore>;

/** 200 of `POST /ingest/ci-runs/{ciRunId}/results`, in the form of the body. */
export const ciScores = z.union([ciScore, z.object({ scores: z.array(ciScore), gate_fired: z.boolean() })]);

const ciViolation = z.object({
  question_index: z.int(),
  metric: z
    .string()
    .describe("rating, a similarity metric, the name of a code scorer, or `missing` for a question without a result."),
  threshold: z.number(),
  actual: z.number().nullable().describe("Null when it could not be measured."),
  question_text: z.string().nullable().describe("Null when the dataset does not expose its inputs."),
});
export type CiViolation = z.infer<typeof ciViolation>;

/** Optional body of `POST /ingest/ci-runs/{ciRunId}/finalize`: nothing is read from it. */
export const finalizeCiRunBody = z.record(z.string(), z.json());

/** 200 of `POST /ingest/ci-runs/{ciRunId}/finalize` (completions 8.4). */
export const ciVerdict = z.object({
  run_id: z.string(),
  gate: z.enum(["pass", "fail"]),
  pass_rate: z.number().describe("Of all questions; one without a result does not pass."),
  pass_rate_threshold: z.number(),
  total_questions: z.int(),
  passed_questions: z.int(),
  results_submitted: z.int(),
  scores: z.array(
    z.object({
      question_index: z.int(),
      rating: z.number().nullable(),
      justification: z.string().nullable(),
      passed: z.boolean(),
      input: z.string().nullable(),
      output: z.string().nullable(),
    }),
  ),
  violations: z.array(ciViolation),
  finalized_at: z.string(),
  status: z.literal("completed"),
  git_context: gitContext.nullable(),
});

/** A CI run in a list (completions 8.4). */
export const ciRun = z.object({
  run_id: z.string(),
  dataset_id: z.string(),
  status: z.enum(["in_progress", "completed", "failed"]).describe("failed: it expired before it was finalized."),
  gate: z.enum(["pass", "fail"]).nullable(),
  results_submitted: z.int(),
  total_questions: z.int(),
  created_at: z.string(),
  expires_at: z.string(),
  finalized_at: z.string().nullable(),
  pass_rate: z.number().nullable(),
  pass_rate_threshold: z.number(),
  git_context: gitContext.nullable(),
});

/** 200 of `GET /ingest/ci-runs/{ciRunId}` (completions 8.4). */
export const ciRunDetail = ciRun.extend({
  violations: z.array(ciViolation).nullable().describe("What did not pass; null until the CI run is finalized."),
});

export const listCiRunsQuery = z.object({
  dataset_id: z.string().optional(),
  branch: z.string().optional().describe("The branch in the git context."),
  commit: z.string().optional().describe("A commit in the git context, which may be shortened."),
  cursor: z.string().optional().describe("Only CI runs before this id."),
  limit: z.string().optional().describe(`1 to ${limits.runPageMax}, default ${limits.runPageDefault}.`),
});

/** 200 of `GET /ingest/ci-runs`: the newest first. */
export const ciRunList = z.object({
  ci_runs: z.array(ciRun),
  total_count: z.int().describe("Of all that match."),
  has_next_page: z.boolean(),
  next_cursor: z.string().nullable(),
  truncated_by: truncatedBy,
});

/** 200 of `GET /ingest/datasets/{datasetId}/test-cases` (completions 8.5). */
export const datasetTestCases = z.object({
  dataset_id: z.string(),
  name: z.string(),
  total_questions: z.int(),
  test_cases: z.array(
    z.object({
      index: z.int(),
      query: z.string().nullable().describe("Null when the dataset does not expose its inputs."),
    }),
  ),
  ci: z.object({ enabled: z.literal(true), pass_rate_threshold: z.number() }),
});
