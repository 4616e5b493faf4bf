import { analysisStatus, analyzeRunBody, analyzeRunReply, analyzeRunSentences, report } from "../http/analyses.ts";
import { runParams } from "../http/runs.ts";
import { judged } from "../judged-body.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";
import { byMember, checkedBody, dataPlane, error, json, prefix } from "./route-parts.ts";

const evaluation = { ...dataPlane, owner: "eval-runs", keyRateGroup: "evaluation", params: runParams } as const;
const run = `${prefix}/custom-agent-evaluations/runs/{runId}`;

/** The analysis of a run and its report. */
export const analysisRoutes = {
  analyzeRun: {
    ...evaluation,
    ...byMember,
    id: "analyzeRun",
    method: "POST",
    path: `${run}/analyze`,
    body: judged(json(analyzeRunBody, false), analyzeRunSentences),
    responses: {
      200: { description: "The analysis is stored, whether it succeeded or failed.", schema: analyzeRunReply },
      ...checkedBody,
      404: error("No such run in the project."),
      409: error("An analysis of the run is at work."),
    },
    deadlineMs: deadlines.gatewayScoringHopMs,
    summary: "Analyze a run.",
    section: "interface: POST runs/{runId}/analyze",
  },
  getAnalysisStatus: {
    ...evaluation,
    id: "getAnalysisStatus",
    method: "GET",
    path: `${run}/analyze-status`,
    responses: {
      200: { description: "The state of the analysis.", schema: analysisStatus },
      404: error("No such run in the project."),
    },
    summary: "Read the state of a run's analysis.",
    section: "completions 5.9",
  },
  getReport: {
    ...evaluation,
    id: "getReport",
    method: "GET",
    path: `${run}/report`,
    responses: {
      200: { description: "The report.", schema: report },
      404: error("No such run in the project, or it was never analyzed."),
    },
    summary: "Read a run's report.",
    section: "interface: GET runs/{runId}/report",
  },
} as const satisfies Record<string, Route>;
