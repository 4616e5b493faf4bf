import { dashboardWindowQuery } from "../dashboard-window.ts";
import { agentFigures } from "../http/agent-figures.ts";
import {
  agreementPairs,
  agreementPairsQuery,
  agreementParams,
  agreementSample,
  agreementSampleQuery,
} from "../http/agreement.ts";
import {
  calibration,
  costTrend,
  figuresQuery,
  kpis,
  metrics,
  performance,
  topFailing,
  trend,
} from "../http/dashboards.ts";
import { ingestHealth } from "../http/ingest-health.ts";
import { modelComparison } from "../http/model-comparison.ts";
import { promptVersions, promptVersionsQuery } from "../http/prompt-versions.ts";
import type { Route } from "../route.ts";
import { dataPlane, error, prefix } from "./route-parts.ts";

const monitor = { ...dataPlane, owner: "monitor", method: "GET", section: "completions 9.5" } as const;
const ingest = { ...monitor, owner: "ingest" } as const;
const monitoring = `${prefix}/agent-monitoring`;

/** Figures of the live traffic. */
export const dashboardRoutes = {
  readKpis: {
    ...monitor,
    id: "readKpis",
    path: `${prefix}/monitor/kpis`,
    query: dashboardWindowQuery,
    responses: { 200: { description: "How the window did, and what changed since the one before.", schema: kpis } },
    summary: "Read how healthy the live traffic is.",
  },
  readTrend: {
    ...monitor,
    id: "readTrend",
    path: `${monitoring}/trend`,
    query: figuresQuery,
    responses: { 200: { description: "A point for each stretch of the window.", schema: trend } },
    summary: "Read the health of the live traffic over time.",
  },
  readPerformance: {
    ...monitor,
    id: "readPerformance",
    path: `${monitoring}/performance`,
    query: dashboardWindowQuery,
    responses: { 200: { description: "A point for each stretch of the window.", schema: performance } },
    summary: "Read latency and errors of the live traffic over time.",
  },
  readPromptVersions: {
    ...ingest,
    id: "readPromptVersions",
    path: `${monitoring}/prompt-versions`,
    query: promptVersionsQuery,
    responses: {
      200: { description: "Last used first; empty for a prompt that no trace states.", schema: promptVersions },
      400: error("`name` is missing."),
    },
    summary: "Compare the versions of a prompt: traces, errors, ratings and cost.",
  },
  readTopFailing: {
    ...monitor,
    id: "readTopFailing",
    path: `${monitoring}/top-failing`,
    query: figuresQuery,
    responses: { 200: { description: "Most failing first.", schema: topFailing } },
    summary: "Read which agents fail most, and what is found most often.",
  },
  readAgentFigures: {
    ...monitor,
    id: "readAgentFigures",
    path: `${monitoring}/agent-figures`,
    query: dashboardWindowQuery,
    responses: { 200: { description: "Most failing first.", schema: agentFigures } },
    summary: "Read how each agent did: runs, failures, latency, cost, and what fails most.",
  },
  readModelComparison: {
    ...monitor,
    id: "readModelComparison",
    path: `${monitoring}/model-comparison`,
    query: dashboardWindowQuery,
    responses: { 200: { description: "Most used first.", schema: modelComparison } },
    summary: "Compare the models of the live traffic.",
  },
  readCalibration: {
    ...monitor,
    id: "readCalibration",
    path: `${monitoring}/calibration`,
    responses: { 200: { description: "By scorer and version.", schema: calibration } },
    summary: "Read how far live scorers agree with people.",
  },
  listAgreementPairs: {
    ...monitor,
    id: "listAgreementPairs",
    path: `${monitoring}/calibration/{scorerKey}/pairs`,
    params: agreementParams,
    query: agreementPairsQuery,
    responses: {
      200: {
        description: "A page of pairs, last labelled first; empty for an unknown scorer.",
        schema: agreementPairs,
      },
      400: error("A parameter that cannot be read."),
    },
    summary: "List the traces that a live scorer and a person judged.",
  },
  drawAgreementSample: {
    ...monitor,
    id: "drawAgreementSample",
    path: `${monitoring}/calibration/{scorerKey}/sample`,
    params: agreementParams,
    query: agreementSampleQuery,
    responses: {
      200: { description: "Other traces each time; empty where all are labelled.", schema: agreementSample },
      400: error("A parameter that cannot be read."),
    },
    summary: "Draw traces by lot for people to label.",
  },
  readMetrics: {
    ...ingest,
    id: "readMetrics",
    path: `${monitoring}/metrics`,
    query: figuresQuery,
    responses: { 200: { description: "A bucket for each stretch of the window, and their totals.", schema: metrics } },
    summary: "Read what the spans of a window come to: tokens, costs, tools, errors, latency.",
  },
  readIngestHealth: {
    ...ingest,
    owner: "gateway",
    id: "readIngestHealth",
    path: `${monitoring}/ingest-health`,
    query: dashboardWindowQuery,
    responses: {
      200: { description: "What was accepted, and what was refused and why, by hour.", schema: ingestHealth },
    },
    summary: "Read how many requests with telemetry were accepted and refused, and why.",
    section: "completions 9.5",
  },
  readCostTrend: {
    ...ingest,
    id: "readCostTrend",
    path: `${monitoring}/cost-trend`,
    query: figuresQuery,
    responses: { 200: { description: "A point for each stretch of the window, and their totals.", schema: costTrend } },
    summary: "Read what the traffic cost over time, by model.",
  },
} as const satisfies Record<string, Route>;
