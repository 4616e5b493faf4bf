import { langfuseErrorBody } from "../errors.ts";
import { langfuseHealth, langfuseProjects } from "../http/langfuse.ts";
import {
  langfuseBatch,
  langfuseBatchReply,
  langfuseBatchSentences,
  langfuseScore,
  langfuseScoreReply,
  langfuseScoreSentences,
} from "../http/langfuse-ingestion.ts";
import { judged } from "../judged-body.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";
import { json } from "./route-parts.ts";

/** Their place is fixed: clients add it to the address of the installation. */
const langfuse = "/api/public";

const ofClient = {
  owner: "dropin",
  authentication: ["key", "authorization"],
  rateGroup: "dataPlane",
  envelope: "langfuse",
  deadlineMs: deadlines.gatewayHopMs,
} as const;

const wrongBody = { description: "The body is not JSON, or a member is wrong.", schema: langfuseErrorBody };

/** For the unmodified clients of Langfuse. Their exporters use an alias of the OTLP route. */
export const langfuseRoutes = {
  getLangfuseHealth: {
    ...ofClient,
    authentication: ["none"],
    id: "getLangfuseHealth",
    method: "GET",
    path: `${langfuse}/health`,
    responses: { 200: { description: "These paths are served.", schema: langfuseHealth } },
    summary: "Langfuse: whether the API answers.",
    section: "dropin 1.2",
  },
  listLangfuseProjects: {
    ...ofClient,
    id: "listLangfuseProjects",
    method: "GET",
    path: `${langfuse}/projects`,
    responses: { 200: { description: "The project of the key.", schema: langfuseProjects } },
    summary: "Langfuse: read the project of the key.",
    section: "dropin 1.2",
  },
  ingestLangfuseBatch: {
    ...ofClient,
    id: "ingestLangfuseBatch",
    method: "POST",
    path: `${langfuse}/ingestion`,
    keyRateGroup: "ingest",
    body: judged(json(langfuseBatch), langfuseBatchSentences),
    responses: {
      207: { description: "Committed, but for the events among the errors.", schema: langfuseBatchReply },
      400: wrongBody,
    },
    summary: "Langfuse: store traces, observations and scores.",
    section: "dropin 1.3",
  },
  createLangfuseScore: {
    ...ofClient,
    id: "createLangfuseScore",
    method: "POST",
    path: `${langfuse}/scores`,
    keyRateGroup: "ingest",
    body: judged(json(langfuseScore), langfuseScoreSentences),
    responses: { 200: { description: "The score is stored.", schema: langfuseScoreReply }, 400: wrongBody },
    summary: "Langfuse: store a score.",
    section: "dropin 1.3",
  },
} as const satisfies Record<string, Route>;
