import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { Cell } from "./trust.ts";

/** The traces behind one cell of the table, in pages, last labelled first. */
export const pairsQuery = (api: ProjectApi, of: { scorerKey: string; version: number | null; cell: Cell }) =>
  infiniteQueryOptions({
    queryKey: [api.projectId, "agreement-pairs", of],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET("/api/v1/agent-monitoring/calibration/{scorerKey}/pairs", {
          params: {
            path: { scorerKey: of.scorerKey },
            query: {
              cell: of.cell,
              ...(of.version !== null && { version: String(of.version) }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** A random sample of traces; each `round` draws another one. */
export const sampleQuery = (
  api: ProjectApi,
  of: { scorerKey: string; version: number | null; count: number; round: number },
) =>
  queryOptions({
    queryKey: [api.projectId, "agreement-sample", of],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/v1/agent-monitoring/calibration/{scorerKey}/sample", {
          params: {
            path: { scorerKey: of.scorerKey },
            query: { n: String(of.count), ...(of.version !== null && { version: String(of.version) }) },
          },
          signal,
        }),
      ),
    // Drawn once: a second draw during labelling would be a different sample. Only "static" is left out when all is read
    // again after a lost connection.
    staleTime: "static",
    gcTime: 0,
  });

/** The question and the answer of a trace. */
export const labelledTraceQuery = (api: ProjectApi, traceId: string) =>
  queryOptions({
    queryKey: [api.projectId, "labelled-trace", traceId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/ingest/traces/{traceId}", { params: { path: { traceId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
