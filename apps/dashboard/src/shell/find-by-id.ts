import type { ProjectApi } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";

/** Whether a text has the form of an id of a trace, run, dataset or signal. */
export function looksLikeId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** Looks the id up in every kind of object in parallel and returns the page of the match. Throws if there is none. */
export async function findById(api: ProjectApi, id: string): Promise<string> {
  const page = (path: string): string => `/p/${api.projectId}/${path}`;
  const candidates: Promise<string>[] = [
    api.GET("/api/v1/ingest/traces/{traceId}", { params: { path: { traceId: id } } }).then(() => page(`traces/${id}`)),
    api
      .GET("/api/v1/custom-agent-evaluations/runs/{runId}", { params: { path: { runId: id } } })
      .then(() => page(`runs/${id}`)),
    api
      .GET("/api/v1/custom-agent-evaluations/datasets/{datasetId}", { params: { path: { datasetId: id } } })
      .then(() => page(`datasets/${id}`)),
    api
      .GET("/api/v1/monitor/signals/{signalId}", { params: { path: { signalId: id } } })
      .then(() => page(`inbox?open=${id}`)),
    api.GET("/api/v1/agents/{agentId}", { params: { path: { agentId: id } } }).then(() => page(`agents/${id}`)),
  ];
  return Promise.any(candidates).catch(() => {
    throw new ApiProblem("Nothing in this project has that id.", { status: 404 });
  });
}
