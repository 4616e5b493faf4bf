import { z } from "zod";
import { dashboardWindow } from "../dashboard-window.ts";
import { limits } from "../limits.ts";
import { listEnd } from "./list-page.ts";

/** A metric is kept only when `enabled` is true. */
const metric = z.looseObject({ enabled: z.boolean().optional() }).nullish();
const text = z.string().nullish();
const keptObject = z.record(z.string(), z.json()).nullish();
const name = z.string().min(1).max(limits.graderNameMaxChars);

const toolContext = z.enum(["none", "simple", "detailed"]);
const severity = z.enum(["low", "medium", "high", "critical"]);

/** The criteria of a judge (completions 4.1, 4.2). */
const submittedJudge = {
  acceptanceCriteria: text,
  rejectionCriteria: text,
  evaluationCriteria: text,
  judgePrompt: text.describe("A template of its own: {input}, {output}, {expected} and {context} are filled in."),
  judgeModel: text,
  toolContext: toolContext.nullish(),
  requiresExpected: z.boolean().nullish(),
};

/** The other graders of offline runs. */
const submittedOffline = {
  numberOfRequests: z.int().min(1).max(limits.datasetRequestsMax).nullish(),
  vectorSimilarity: z.looseObject({ enabled: z.boolean().optional(), model: z.string().optional() }).nullish(),
  jaccardSimilarity: metric,
  bleuScore: metric,
  rougeScore: metric,
  thresholds: keptObject,
  sovereigntyIndex: keptObject,
  codeScorers: z
    .array(z.looseObject({ name: z.string().optional(), code: z.string().optional() }))
    .max(limits.codeScorersMax)
    .nullish(),
  isDefault: z.boolean().nullish(),
  status: z.string().nullish().describe("Ignored: it always reads `published`."),
};

const shownText = z.string().optional();
const shownJudge = {
  acceptanceCriteria: shownText,
  rejectionCriteria: shownText,
  evaluationCriteria: shownText,
  judgePrompt: shownText,
  judgeModel: shownText,
  toolContext,
  requiresExpected: z.boolean(),
};
const shownMetric = z.object({ enabled: z.literal(true) }).optional();
const shownOffline = {
  numberOfRequests: z.int(),
  vectorSimilarity: z.object({ enabled: z.literal(true), model: z.string().optional() }).optional(),
  jaccardSimilarity: shownMetric,
  bleuScore: shownMetric,
  rougeScore: shownMetric,
  thresholds: z.record(z.string(), z.json()).optional(),
  sovereigntyIndex: z.record(z.string(), z.json()).optional(),
  codeScorers: z.array(z.json()).optional(),
  isDefault: z.boolean(),
  status: z.literal("published"),
};

/** Body of `POST /custom-agent-evaluations/evaluation-settings` (completions 4.1). */
export const submittedSettings = z.object({ name, description: text, ...submittedJudge, ...submittedOffline });

/** Body of `PUT`: only the members that are sent change; null removes one. */
export const changedSettings = submittedSettings.partial();

/** A grading config as evaluation settings (completions 4.1). */
export const evaluationSettings = z.object({
  _id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  ...shownJudge,
  ...shownOffline,
  createdAt: z.string(),
});

export const evaluationSettingsList = z.object({ evaluationSettings: z.array(evaluationSettings), ...listEnd });
export const settingsParams = z.object({ evaluationSettingsId: z.string() });
export const settingsVersionParams = settingsParams.extend({ versionId: z.string() });

/** The stored versions, newest first (completions 3.3, 4.1). */
export const settingsVersions = z.array(
  z.object({
    _id: z.string(),
    versionNumber: z.int(),
    changeSummary: z.string(),
    snapshot: z.record(z.string(), z.json()).describe("The settings as they were."),
    createdAt: z.string(),
    creator: z.string().nullable(),
  }),
);

/** `deleted` is false when there is no such version, or it is the current one. */
export const deletedVersion = z.object({ deleted: z.boolean() });

/** How a scorer judges live traffic, as it is sent; missing members have their defaults (completions 4.2). */
const submittedLive = {
  enabled: z.boolean().optional(),
  sampleRate: z.number().min(0).max(1).optional(),
  alertThreshold: z.number().min(limits.ratingMin).max(limits.ratingMax).nullish().describe("null = never alert"),
  severity: severity.optional(),
  scope: z.enum(["trace", "session"]).optional(),
  idleSeconds: z.int().min(1).max(86_400).optional(),
};
const shownLive = {
  enabled: z.boolean(),
  sampleRate: z.number(),
  alertThreshold: z.number().nullable(),
  severity,
};

/** Body of `POST /agent-monitoring/judge-scorers` (completions 4.2). */
export const submittedJudgeScorer = z.object({
  name,
  description: text,
  judge: z.object(submittedJudge).optional(),
  offline: z.object(submittedOffline).optional(),
  online: z
    .object({
      ...submittedLive,
      scopeMode: z.enum(["all", "selected"]).optional(),
      agentIds: z.array(z.string()).max(limits.onlineAgentsMax).optional(),
    })
    .nullish(),
});

/** Body of `PUT`: sparse in each section; `online: null` detaches. */
export const changedJudgeScorer = submittedJudgeScorer.partial();

/** A grading config as a judge scorer (completions 4.2). */
const judgeScorer = z.object({
  _id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  seeded: z.boolean(),
  judge: z.object(shownJudge),
  offline: z.object(shownOffline),
  online: z
    .object({
      profileId: z.string(),
      name: z.string().optional().describe("Its own as an online evaluator"),
      ...shownLive,
      scopeMode: z.enum(["all", "selected"]),
      agentIds: z.array(z.string()),
      scope: z.enum(["trace", "session"]),
      idleSeconds: z.int(),
      builtinKey: z.string().optional(),
    })
    .nullable(),
  createdAt: z.string(),
  version: z.int().describe("The number of the current version"),
  versionCount: z.int().describe("Of the stored versions: one can be deleted, and its number is not given again"),
});

export const judgeScorerReply = z.object({ judgeScorer });
export const judgeScorerList = z.object({ judgeScorers: z.array(judgeScorer), ...listEnd });
export const judgeScorerParams = z.object({ judgeScorerId: z.string() });

/** Answer to deleting a grading config or a scorer group. */
export const deletedGrader = z.object({ deleted: z.literal(true) });

/** Body of `POST /agent-monitoring/scorer-groups` (completions 4.4). */
export const submittedScorerGroup = z.object({
  name,
  description: text,
  members: z
    .array(
      z.looseObject({
        kind: z.string().optional().describe("judge, pattern or custom; anything else is a judge."),
        refId: z.string().optional().describe("A member without one is left out."),
        weight: z.number().optional().describe("Default 1; below 0 is 0."),
        gate: z.boolean().optional().describe("Whether a result must pass this member."),
      }),
    )
    .max(limits.groupMembersMax),
  online: z.object(submittedLive).nullish(),
});

/** Body of `PUT`: sparse; `online` merges into the stored profile, null detaches. */
export const changedScorerGroup = submittedScorerGroup.partial();

const scorerGroup = z.object({
  _id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  members: z.array(
    z.object({
      kind: z.enum(["judge", "pattern", "custom"]),
      refId: z.string(),
      weight: z.number(),
      gate: z.boolean(),
    }),
  ),
  online: z
    .object({ ...shownLive, scope: z.enum(["trace", "session"]).optional(), idleSeconds: z.int().optional() })
    .nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const scorerGroupReply = z.object({ scorerGroup });
export const scorerGroupList = z.object({ scorerGroups: z.array(scorerGroup), ...listEnd });
export const scorerGroupParams = z.object({ scorerGroupId: z.string() });

/** The group's scores over time, by the intervals of the window, oldest first. */
export const groupRatings = z.object({
  window: dashboardWindow,
  points: z.array(
    z.object({
      label: z.string(),
      ts: z.string(),
      averageRating: z.number().nullable(),
      count: z.int(),
    }),
  ),
});
