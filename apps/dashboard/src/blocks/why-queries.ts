import { queryOptions, skipToken } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";

/** Scorers seldom change; an edit on the judges' pages invalidates them. */
const staleMs = 60_000;

/** All judge scorers of the project with their rubrics, newest first. */
export const judgeScorersQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "judge-scorers"],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/v1/agent-monitoring/judge-scorers", { signal }))).judgeScorers,
    staleTime: staleMs,
  });

/** All scorer groups of the project with their members. */
export const scorerGroupsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "scorer-groups"],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/v1/agent-monitoring/scorer-groups", { signal }))).scorerGroups,
    staleTime: staleMs,
  });

/** The stored versions of a scorer's settings, newest first. */
export const settingsVersionsQuery = (api: ProjectApi, evaluationSettingsId: string) =>
  queryOptions({
    queryKey: [api.projectId, "settings-versions", evaluationSettingsId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/v1/evaluate/evaluationSettings/{evaluationSettingsId}/versions", {
          params: { path: { evaluationSettingsId } },
          signal,
        }),
      ),
    staleTime: staleMs,
  });

/** How far each live scorer agrees with people. */
export const calibrationQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "calibration"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/agent-monitoring/calibration", { signal })),
    staleTime: 15_000,
  });

/** People's votes on a trace, newest first. */
export const feedbackQuery = (api: ProjectApi, traceId: string) =>
  queryOptions({
    queryKey: [api.projectId, "feedback", traceId],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/v1/feedback/trace/{traceId}", { params: { path: { traceId } }, signal }))).feedback,
  });

/** A dataset that is the rubric of a run. */
export const rubricDatasetQuery = (api: ProjectApi, datasetId: string) =>
  queryOptions({
    queryKey: [api.projectId, "rubric-dataset", datasetId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/v1/custom-agent-evaluations/datasets/{datasetId}", { params: { path: { datasetId } }, signal }),
      ),
    staleTime: staleMs,
  });

/** The judge's prompt and reply. They never change; after some days they are deleted, which is a 404. */
export const verdictRecordQuery = (api: ProjectApi, verdictId: string | null) =>
  queryOptions({
    queryKey: [api.projectId, "verdict-record", verdictId],
    queryFn:
      verdictId === null
        ? skipToken
        : ({ signal }) => bodyOf(api.GET("/api/v1/verdicts/{verdictId}", { params: { path: { verdictId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** One record as the API returns it. */
export type VerdictRecord =
  paths["/api/v1/verdicts/{verdictId}"]["get"]["responses"][200]["content"]["application/json"];

/** The ratings of a trace by live judges and groups, with their justifications. */
export const traceEvaluationsQuery = (api: ProjectApi, traceId: string) =>
  queryOptions({
    queryKey: [api.projectId, "trace-evaluations", traceId],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/agent-monitoring/traces/{traceId}/evaluations";
      return (await bodyOf(api.GET(path, { params: { path: { traceId } }, signal }))).evaluations;
    },
  });

/** The scores by judges and groups for a session as a whole, newest first. */
export const sessionScoresQuery = (api: ProjectApi, sessionId: string) =>
  queryOptions({
    queryKey: [api.projectId, "session-scores", sessionId],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/agent-monitoring/sessions/{sessionId}/scores";
      return (await bodyOf(api.GET(path, { params: { path: { sessionId } }, signal }))).scores;
    },
    refetchInterval: 15_000,
  });
