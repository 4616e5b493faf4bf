import { dashboardWindowQuery } from "../dashboard-window.ts";
import {
  changedCustomEvaluator,
  customEvaluatorEvents,
  customEvaluatorList,
  customEvaluatorParams,
  customEvaluatorReply,
  customEvaluatorTrial,
  customEvaluatorTrialReply,
  submittedCustomEvaluator,
  topicCounts,
} from "../http/custom-evaluators.ts";
import { documentListQuery } from "../http/list-page.ts";
import { topicMap } from "../http/topic-map.ts";
import type { Route } from "../route.ts";
import { bodyRefusals, byMember, checkedBody, dataPlane, error, json, prefix, wrongPage } from "./route-parts.ts";

const monitor = { ...dataPlane, owner: "monitor", section: "completions 4.5" } as const;

const evaluatorsPath = `${prefix}/agent-monitoring/custom-evaluators`;
const evaluatorPath = `${evaluatorsPath}/{customEvaluatorId}`;
const noEvaluator = error("No such custom scorer in the project.");

/** Custom scorers (programs of a project), and the topics of traffic. */
export const customEvaluatorRoutes = {
  createCustomEvaluator: {
    ...monitor,
    ...byMember,
    id: "createCustomEvaluator",
    method: "POST",
    path: evaluatorsPath,
    body: json(submittedCustomEvaluator),
    responses: { 201: { description: "The custom scorer.", schema: customEvaluatorReply }, ...checkedBody },
    summary: "Create a custom scorer of live traffic.",
  },
  listCustomEvaluators: {
    ...monitor,
    id: "listCustomEvaluators",
    method: "GET",
    path: evaluatorsPath,
    query: documentListQuery,
    responses: { 200: { description: "By age.", schema: customEvaluatorList }, 400: wrongPage },
    summary: "List custom scorers.",
  },
  tryCustomEvaluator: {
    ...monitor,
    ...byMember,
    id: "tryCustomEvaluator",
    method: "POST",
    path: `${evaluatorsPath}/dry-run`,
    body: json(customEvaluatorTrial),
    responses: {
      200: { description: "What the scorer answered, or why it could not be used.", schema: customEvaluatorTrialReply },
      ...bodyRefusals,
    },
    summary: "Try a custom scorer without storing anything.",
  },
  updateCustomEvaluator: {
    ...monitor,
    ...byMember,
    id: "updateCustomEvaluator",
    method: "PUT",
    path: evaluatorPath,
    params: customEvaluatorParams,
    body: json(changedCustomEvaluator),
    responses: {
      200: { description: "The custom scorer.", schema: customEvaluatorReply },
      ...checkedBody,
      404: noEvaluator,
    },
    summary: "Change a custom scorer.",
  },
  deleteCustomEvaluator: {
    ...monitor,
    ...byMember,
    id: "deleteCustomEvaluator",
    method: "DELETE",
    path: evaluatorPath,
    params: customEvaluatorParams,
    responses: { 204: { description: "It is gone; what it said stays.", schema: null }, 404: noEvaluator },
    summary: "Delete a custom scorer.",
  },
  listCustomEvaluatorEvents: {
    ...monitor,
    id: "listCustomEvaluatorEvents",
    method: "GET",
    path: `${evaluatorPath}/events`,
    params: customEvaluatorParams,
    query: dashboardWindowQuery,
    responses: { 200: { description: "Worst first.", schema: customEvaluatorEvents }, 404: noEvaluator },
    summary: "List what a custom scorer said.",
  },
  readTopics: {
    ...monitor,
    id: "readTopics",
    method: "GET",
    path: `${prefix}/agent-monitoring/topics`,
    query: dashboardWindowQuery,
    responses: { 200: { description: "The most frequent first.", schema: topicCounts } },
    summary: "Count what traffic is about.",
    section: "completions 9.5",
  },
  readTopicMap: {
    ...monitor,
    id: "readTopicMap",
    method: "GET",
    path: `${prefix}/agent-monitoring/topics/map`,
    query: dashboardWindowQuery,
    responses: { 200: { description: "The most frequent intents first.", schema: topicMap } },
    summary: "Read how each thing that traffic is about goes.",
    section: "completions 9.5",
  },
} as const satisfies Record<string, Route>;
