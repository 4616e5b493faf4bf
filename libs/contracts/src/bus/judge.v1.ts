import { z } from "zod";
import { defineRequest } from "./define.ts";
import { payer } from "./judge-payer.ts";

/**
 * Why a judge gave no rating. `no_reference`: the judge needs an expected result and the case has none. `replay_miss`:
 * the run replays stored verdicts and there is none for this case. `gate_unrated`: a must-pass member of the scorer group
 * gave nothing. `no_score`: no member of the group gave anything.
 */
export const skipReason = z.enum([
  "no_key",
  "no_judge",
  "no_reference",
  "quota",
  "timeout",
  "provider_error",
  "unparseable",
  "too_large",
  "replay_miss",
  "gate_unrated",
  "no_score",
]);
export type SkipReason = z.infer<typeof skipReason>;

/** One judge's rubric. `id` is `primary` or the id of a judge scorer; a null `model` means the default judge model. */
export const judgeRubric = z.object({
  id: z.string().min(1),
  /** The rubric's owner and version, for the verdict's record; not part of what is judged. */
  scorerId: z.string().nullish(),
  version: z.number().int().nullish(),
  name: z.string().nullable(),
  model: z.string().nullable(),
  acceptanceCriteria: z.string().nullable(),
  rejectionCriteria: z.string().nullable(),
  evaluationCriteria: z.string().nullable(),
  requiresExpected: z.boolean(),
  /** A template that replaces the default one; `{input}`, `{output}`, `{expected}`, `{context}` are filled in. */
  judgePrompt: z.string().nullable().default(null),
  /** The part of the linked trace that the judge sees (completions 4.2). */
  toolContext: z.enum(["none", "simple", "detailed"]).default("simple"),
});
export type JudgeRubric = z.infer<typeof judgeRubric>;

/** One tool call, as the linked trace recorded it. */
export const recordedToolCall = z.looseObject({
  name: z.string(),
  input: z.json().optional(),
  output: z.json().optional(),
  latency_ms: z.number().nullish(),
  success: z.boolean().nullish(),
  error: z.string().nullish(),
});
export type RecordedToolCall = z.infer<typeof recordedToolCall>;

/** The agent's steps, from the linked trace: the trace's subtree in start order, and the root's tool calls. */
export const trajectory = z.object({
  /** Empty when the trace has no span tree; at most 40 items, the rest is counted. Texts are cut after 300 characters and then end in `...`. */
  steps: z.array(
    z.object({
      depth: z.number().int().nonnegative(),
      name: z.string(),
      kind: z.string(),
      model: z.string().nullable(),
      latencyMs: z.number().nullable(),
      input: z.string().nullable(),
      output: z.string().nullable(),
      error: z.string().nullable(),
    }),
  ),
  omittedSteps: z.number().int().nonnegative(),
  toolCalls: z.array(recordedToolCall),
  /** Known definitions of tools, used or not: from the trace, or registered in the project. */
  toolDefinitions: z.array(z.object({ name: z.string(), definition: z.string() })),
});
export type Trajectory = z.infer<typeof trajectory>;

/** The texts to judge. Every text is untrusted. Null = the case has none. */
export const judgedCase = z.object({
  input: z.string(),
  output: z.string(),
  expected: z.string().nullable(),
  context: z.string().nullable(),
  guideline: z.string().nullable(),
  expectedCapabilities: z.array(z.string()).default([]),
  expectedKnowledgeBase: z.array(z.string()).default([]),
  expectedDelegations: z.array(z.string()).default([]),
  trajectory: trajectory.nullable().default(null),
});
export type JudgedCase = z.infer<typeof judgedCase>;

/** Which similarity metrics to compute (completions 6.5). `vector` carries the embedding model, null = default. */
export const similarityRequest = z.object({
  jaccard: z.boolean(),
  bleu: z.boolean(),
  rouge: z.boolean(),
  vector: z.object({ model: z.string().nullable() }).nullable(),
});
export type SimilarityRequest = z.infer<typeof similarityRequest>;

/** One judge's answer. `rating` is 0 to 10 and null exactly when `status` is `skipped`; then `reason` says why. */
export const verdict = z.object({
  judgeId: z.string(),
  status: z.enum(["scored", "skipped"]),
  rating: z.number().min(0).max(10).nullable(),
  justification: z.string(),
  reason: skipReason.nullable(),
  /** Set if what `reason` names will pass: the quota could not be counted, which does not mean that it is spent. */
  isPassing: z.boolean().optional(),
  /** Set if no question was sent to a provider although `reason` is one of a provider. */
  isUnsent: z.boolean().optional(),
  model: z.string().nullable(),
  durationMs: z.number().nonnegative(),
  /** The origin of a scored verdict: a new call, or the record. Null when skipped. */
  source: z.enum(["live", "cache", "replay"]).nullable().default(null),
  /**
   * The id of its record (`GET /verdicts/{verdictId}`); a stored verdict has the id of the call it came from. Null =
   * there is none.
   */
  verdictId: z.uuid().nullable().default(null),
});
export type Verdict = z.infer<typeof verdict>;

/** Metrics on 0..1; null = a text was blank, had no tokens, or the provider failed. Absent = not asked for. */
export const similarityScores = z.object({
  jaccard: z.number().min(0).max(1).nullable().optional(),
  bleu: z.number().min(0).max(1).nullable().optional(),
  rouge: z.number().min(0).max(1).nullable().optional(),
  vector: z.number().min(0).max(1).nullable().optional(),
});
export type SimilarityScores = z.infer<typeof similarityScores>;

/** How verdicts are obtained (completions 5.12). `replay` never calls a provider. */
export const verdictMode = z.enum(["live", "cache", "replay"]);
export type VerdictMode = z.infer<typeof verdictMode>;

/** Deterministic scorers of one result, besides similarity (completions 6.1, 6.3, 6.4). They run after the judges. */
export const deterministicRequest = z.object({
  codeScorers: z.array(z.object({ name: z.string(), code: z.string() })).max(50),
  /** The tools the case expects. `linked` is false when no trace is linked or it cannot be found: a row with an error. */
  trajectoryMatch: z
    .object({
      tools: z.array(z.string()),
      mode: z.enum(["strict", "unordered", "subset", "superset"]),
      linked: z.boolean(),
    })
    .nullable(),
  /** `actual` null = nothing was retrieved: a row with an error. */
  contextMatch: z.object({ expected: z.string(), actual: z.string().nullable() }).nullable(),
});
export type DeterministicRequest = z.infer<typeof deterministicRequest>;

/** One row of `codeScorerResults`. `score` is null when the scorer abstained or failed; then `error` says why, if it failed. */
export const deterministicScore = z.object({
  name: z.string(),
  score: z.number().nullable(),
  reasoning: z.string().optional(),
  error: z.string().optional(),
});
export type DeterministicScore = z.infer<typeof deterministicScore>;

const groupMember = z.object({
  refId: z.string(),
  name: z.string(),
  weight: z.number().nonnegative(),
  gate: z.boolean(),
  /** The live judge budget prevented it from being asked, or from asking. */
  stoppedByBudget: z.boolean().default(false),
});

/**
 * A scorer group whose score is the result's rating (completions 4.4). Judge members refer to a rubric by its id; the
 * findings of other members are known before the judge is asked.
 */
export const groupRequest = z.object({
  name: z.string(),
  members: z
    .array(
      z.discriminatedUnion("kind", [
        groupMember.extend({ kind: z.literal("judge") }),
        groupMember.extend({
          kind: z.enum(["pattern", "custom"]),
          /** Its rating of the result; null = it has none. */
          goodness: z.number().min(0).max(1).nullable(),
          /** Why it has none, shown to the client. */
          because: z.string().nullable().default(null),
        }),
      ]),
    )
    .max(50),
});
export type GroupRequest = z.infer<typeof groupRequest>;

/** A group's score, 0 to 10 with one decimal; null = no score, with the reason. */
export const groupScore = z.object({
  rating: z.number().min(0).max(10).nullable(),
  justification: z.string(),
  reason: skipReason.nullable(),
  /** The name of the must-pass member that set the score to 0. */
  gatedBy: z.string().nullable(),
});
export type GroupScore = z.infer<typeof groupScore>;

const noDeterministic = { codeScorers: [], trajectoryMatch: null, contextMatch: null };

/**
 * Scores one result: every rubric and every metric in parallel, each isolated from the others' failures, then the
 * group's arithmetic and the deterministic scorers, which use the judges' verdicts. `verdicts` has one entry per
 * rubric, in the requested order; `deterministic` has the code scorers in order, then trajectory match, then context
 * match.
 */
export const scoreResult = defineRequest({
  subject: "svc.judge.score-result.v1",
  askedBy: ["eval-runs", "monitor"],
  answeredBy: "judge",
  body: z.object({
    ...payer,
    judges: z.array(judgeRubric).max(50),
    case: judgedCase,
    similarity: similarityRequest,
    verdictMode: verdictMode.default("live"),
    /** Part of a verdict's storage key: repetitions of a case are judged individually. */
    runNumber: z.number().int().default(1),
    group: groupRequest.nullable().default(null),
    deterministic: deterministicRequest.default(noDeterministic),
  }),
  reply: z.object({
    verdicts: z.array(verdict),
    similarity: similarityScores,
    group: groupScore.nullable().default(null),
    deterministic: z.array(deterministicScore).default([]),
  }),
});
