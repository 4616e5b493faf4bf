import {
  changedJudgeScorer,
  changedScorerGroup,
  changedSettings,
  deletedGrader,
  deletedVersion,
  evaluationSettings,
  evaluationSettingsList,
  groupRatings,
  groupRatingsQuery,
  judgeScorerList,
  judgeScorerParams,
  judgeScorerReply,
  scorerGroupList,
  scorerGroupParams,
  scorerGroupReply,
  settingsParams,
  settingsVersionParams,
  settingsVersions,
  submittedJudgeScorer,
  submittedScorerGroup,
  submittedSettings,
} from "../http/graders.ts";
import type { Route } from "../route.ts";
import { checkedBody, dataPlane, error, json, prefix } from "./route-parts.ts";

const dashboard = { ...dataPlane, owner: "eval-runs" } as const;
const evaluation = { ...dashboard, keyRateGroup: "evaluation" } as const;

const settingsPath = `${prefix}/custom-agent-evaluations/evaluation-settings`;
const versionsPath = `${prefix}/evaluate/evaluationSettings/{evaluationSettingsId}/versions`;
const scorersPath = `${prefix}/agent-monitoring/judge-scorers`;
const groupsPath = `${prefix}/agent-monitoring/scorer-groups`;

const noSettings = error("No such grading config in the project.");
const noScorer = error("No such judge scorer in the project.");
const noGroup = error("No such scorer group in the project.");

/** Grading configs, as evaluation settings and as judge scorers, and scorer groups. */
export const graderRoutes = {
  createEvaluationSettings: {
    ...evaluation,
    id: "createEvaluationSettings",
    method: "POST",
    path: settingsPath,
    body: json(submittedSettings),
    responses: {
      201: { description: "The grading config.", schema: evaluationSettings },
      ...checkedBody,
    },
    summary: "Create a grading config.",
    section: "completions 4.1",
  },
  listEvaluationSettings: {
    ...evaluation,
    id: "listEvaluationSettings",
    method: "GET",
    path: settingsPath,
    responses: {
      200: { description: "The project's grading configs, newest first.", schema: evaluationSettingsList },
    },
    summary: "List grading configs.",
    section: "completions 4.1",
  },
  listSettingsVersions: {
    ...dashboard,
    id: "listSettingsVersions",
    method: "GET",
    path: versionsPath,
    params: settingsParams,
    responses: {
      200: { description: "Every version, newest first.", schema: settingsVersions },
      404: noSettings,
    },
    summary: "List the versions of a grading config.",
    section: "completions 4.1",
  },
  deleteSettingsVersion: {
    ...dashboard,
    id: "deleteSettingsVersion",
    method: "DELETE",
    path: `${versionsPath}/{versionId}`,
    params: settingsVersionParams,
    responses: {
      200: { description: "Whether it was deleted.", schema: deletedVersion },
      404: noSettings,
    },
    summary: "Delete an earlier version of a grading config.",
    section: "completions 3.3, 4.1",
  },
  getEvaluationSettings: {
    ...evaluation,
    id: "getEvaluationSettings",
    method: "GET",
    path: `${settingsPath}/{evaluationSettingsId}`,
    params: settingsParams,
    responses: {
      200: { description: "The grading config.", schema: evaluationSettings },
      404: noSettings,
    },
    summary: "Read a grading config.",
    section: "completions 4.1",
  },
  updateEvaluationSettings: {
    ...evaluation,
    id: "updateEvaluationSettings",
    method: "PUT",
    path: `${settingsPath}/{evaluationSettingsId}`,
    params: settingsParams,
    body: json(changedSettings),
    responses: {
      200: { description: "The grading config as it is now.", schema: evaluationSettings },
      ...checkedBody,
      404: noSettings,
      409: error("The config judges live traffic, or is built in, and does not allow the change."),
    },
    summary: "Change a grading config: only what is sent.",
    section: "completions 4.1",
  },
  deleteEvaluationSettings: {
    ...evaluation,
    id: "deleteEvaluationSettings",
    method: "DELETE",
    path: `${settingsPath}/{evaluationSettingsId}`,
    params: settingsParams,
    responses: {
      200: { description: "It is gone.", schema: deletedGrader },
      404: noSettings,
      409: error("The config is attached to a live scorer, or is built in."),
    },
    summary: "Delete a grading config with its versions.",
    section: "completions 4.1",
  },
  createJudgeScorer: {
    ...dashboard,
    id: "createJudgeScorer",
    method: "POST",
    path: scorersPath,
    body: json(submittedJudgeScorer),
    responses: {
      201: { description: "The judge scorer.", schema: judgeScorerReply },
      ...checkedBody,
      409: error("A judge that requires an expected result cannot judge live traffic."),
    },
    summary: "Create a judge scorer.",
    section: "completions 4.2",
  },
  listJudgeScorers: {
    ...dashboard,
    id: "listJudgeScorers",
    method: "GET",
    path: scorersPath,
    responses: {
      200: { description: "The project's judge scorers, newest first.", schema: judgeScorerList },
    },
    summary: "List judge scorers.",
    section: "completions 4.2",
  },
  getJudgeScorer: {
    ...dashboard,
    id: "getJudgeScorer",
    method: "GET",
    path: `${scorersPath}/{judgeScorerId}`,
    params: judgeScorerParams,
    responses: {
      200: { description: "The judge scorer.", schema: judgeScorerReply },
      404: noScorer,
    },
    summary: "Read a judge scorer.",
    section: "completions 4.2",
  },
  updateJudgeScorer: {
    ...dashboard,
    id: "updateJudgeScorer",
    method: "PUT",
    path: `${scorersPath}/{judgeScorerId}`,
    params: judgeScorerParams,
    body: json(changedJudgeScorer),
    responses: {
      200: { description: "The judge scorer as it is now.", schema: judgeScorerReply },
      ...checkedBody,
      404: noScorer,
      409: error("The scorer judges live traffic, or is built in, and does not allow the change."),
    },
    summary: "Change a judge scorer: only what is sent in each section.",
    section: "completions 4.2",
  },
  deleteJudgeScorer: {
    ...dashboard,
    id: "deleteJudgeScorer",
    method: "DELETE",
    path: `${scorersPath}/{judgeScorerId}`,
    params: judgeScorerParams,
    responses: {
      200: { description: "It is gone.", schema: deletedGrader },
      404: noScorer,
      409: error("The scorer is a member of a live group, or is built in."),
    },
    summary: "Delete a judge scorer with its versions and its live profile.",
    section: "completions 4.2",
  },
  createScorerGroup: {
    ...dashboard,
    id: "createScorerGroup",
    method: "POST",
    path: groupsPath,
    body: json(submittedScorerGroup),
    responses: {
      201: { description: "The scorer group.", schema: scorerGroupReply },
      ...checkedBody,
    },
    summary: "Create a scorer group.",
    section: "completions 4.4",
  },
  listScorerGroups: {
    ...dashboard,
    id: "listScorerGroups",
    method: "GET",
    path: groupsPath,
    responses: {
      200: { description: "The project's scorer groups, newest first.", schema: scorerGroupList },
    },
    summary: "List scorer groups.",
    section: "completions 4.4",
  },
  readGroupRatings: {
    ...dashboard,
    id: "readGroupRatings",
    method: "GET",
    path: `${groupsPath}/{scorerGroupId}/ratings`,
    params: scorerGroupParams,
    query: groupRatingsQuery,
    responses: {
      200: { description: "Averages of the results of runs that the group graded.", schema: groupRatings },
      404: noGroup,
    },
    summary: "Read a scorer group's ratings over time.",
    section: "completions 4.4",
  },
  getScorerGroup: {
    ...dashboard,
    id: "getScorerGroup",
    method: "GET",
    path: `${groupsPath}/{scorerGroupId}`,
    params: scorerGroupParams,
    responses: {
      200: { description: "The scorer group.", schema: scorerGroupReply },
      404: noGroup,
    },
    summary: "Read a scorer group.",
    section: "completions 4.4",
  },
  updateScorerGroup: {
    ...dashboard,
    id: "updateScorerGroup",
    method: "PUT",
    path: `${groupsPath}/{scorerGroupId}`,
    params: scorerGroupParams,
    body: json(changedScorerGroup),
    responses: {
      200: { description: "The scorer group as it is now.", schema: scorerGroupReply },
      ...checkedBody,
      404: noGroup,
    },
    summary: "Change a scorer group: only what is sent.",
    section: "completions 4.4",
  },
  deleteScorerGroup: {
    ...dashboard,
    id: "deleteScorerGroup",
    method: "DELETE",
    path: `${groupsPath}/{scorerGroupId}`,
    params: scorerGroupParams,
    responses: {
      200: { description: "It is gone.", schema: deletedGrader },
      404: noGroup,
    },
    summary: "Delete a scorer group.",
    section: "completions 4.4",
  },
} as const satisfies Record<string, Route>;
