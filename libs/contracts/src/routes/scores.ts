import {
  deletedScore,
  listScoresQuery,
  scoreList,
  scoreParams,
  scoreReply,
  storedScores,
  submittedScores,
} from "../http/scores.ts";
import type { Route } from "../route.ts";
import { batch, byMember, checkedBody, dataPlane, error, prefix } from "./route-parts.ts";

const ingest = { ...dataPlane, owner: "ingest", section: "completions 2.9" } as const;

/** Scores that clients give to traces, spans, sessions and results of runs. */
export const scoreRoutes = {
  submitScores: {
    ...ingest,
    ...byMember,
    id: "submitScores",
    alsoAskedBy: ["dropin"],
    method: "POST",
    path: `${prefix}/scores`,
    keyRateGroup: "ingest",
    body: batch(submittedScores),
    responses: { 201: { description: "The stored scores.", schema: storedScores }, ...checkedBody },
    summary: "Store scores; a known id replaces its score.",
  },
  listScores: {
    ...ingest,
    id: "listScores",
    method: "GET",
    path: `${prefix}/scores`,
    query: listScoresQuery,
    responses: {
      200: { description: "The newest scores first.", schema: scoreList },
      400: error("The limit, the cursor or a filter cannot be read."),
    },
    summary: "List scores.",
  },
  getScore: {
    ...ingest,
    id: "getScore",
    method: "GET",
    path: `${prefix}/scores/{scoreId}`,
    params: scoreParams,
    responses: {
      200: { description: "The score.", schema: scoreReply },
      404: error("No such score in the project."),
    },
    summary: "Read one score.",
  },
  deleteScore: {
    ...ingest,
    ...byMember,
    id: "deleteScore",
    method: "DELETE",
    path: `${prefix}/scores/{scoreId}`,
    params: scoreParams,
    responses: {
      200: { description: "The score is gone.", schema: deletedScore },
      404: error("No such score in the project."),
    },
    summary: "Delete one score.",
  },
} as const satisfies Record<string, Route>;
