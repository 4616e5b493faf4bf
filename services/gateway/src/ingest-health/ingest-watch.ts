import type { IncomingHttpHeaders } from "node:http";
import {
  type IngestRefusal,
  ingestOutcomeHeader,
  ingestRefusals,
  parseIngestOutcome,
  type Route,
  type RouteId,
} from "@touchstone/contracts";
import { type HopAnswer, isAppError } from "@touchstone/service-kit";
import type { KeyCache } from "../credentials/key-cache.ts";
import { readPresentedKey } from "../credentials/presented-key.ts";
import type { IngestCounts } from "./ingest-counts.ts";

/** Counts the outcomes of telemetry requests. Requests of other routes are ignored. */
export interface IngestWatch {
  /** Ingest answered. */
  answered(route: Route, projectId: string | null, answer: Pick<HopAnswer, "status" | "headers">): void;
  /**
   * The gateway refused the request. If it was refused before its key was checked, it counts for the project whose key
   * is cached; auth is not asked.
   */
  refused(route: Route, request: { projectId: string | null; headers: IncomingHttpHeaders }, thrown: unknown): void;
}

/** Not OTLP metrics: they are accepted and not stored, which would look like traces that arrived. */
const watched: ReadonlySet<string> = new Set<RouteId>([
  "submitTrace",
  "submitSpanUpdates",
  "ingestLangfuseBatch",
  "receiveTraces",
  "receiveTracesAtBase",
  "receiveLogs",
  "importTraces",
]);

/** The meaning of a status without an outcome from ingest: the request was refused before its handler. */
const refusalsByStatus: Readonly<Record<number, IngestRefusal>> = {
  400: "body_unreadable",
  403: "forbidden",
  413: "body_too_large",
  415: "unsupported_media_type",
  422: "trace_invalid",
  429: "queue_full",
  500: "internal",
  503: "service_unavailable",
};

export function createIngestWatch({ counts, keys }: { counts: IngestCounts; keys: KeyCache }): IngestWatch {
  return {
    answered(route, projectId, { status, headers }) {
      if (projectId === null || !watched.has(route.id)) return;
      const reported = parseIngestOutcome(headers[ingestOutcomeHeader]);
      if (status < 300) counts.add(projectId, { outcome: "accepted", count: 1, example: null });
      const outcome = refusalsByStatus[status];
      if (reported !== null) counts.add(projectId, reported);
      else if (outcome !== undefined) counts.add(projectId, { outcome, count: 1, example: null });
    },
    refused(route, request, thrown) {
      if (!watched.has(route.id)) return;
      const outcome = refusalOf(thrown, route);
      const projectId = outcome === null ? null : (request.projectId ?? findProject(request.headers, route));
      if (outcome === null || projectId === null) return;
      const example = outcome === "trace_quota_spent" && isAppError(thrown) ? thrown.message : null;
      counts.add(projectId, { outcome, count: 1, example });
    },
  };

  function findProject(headers: IncomingHttpHeaders, route: Route): string | null {
    const apiKey = readPresentedKey(headers, route.authentication);
    return apiKey === null ? null : (keys.recall(apiKey)?.projectId ?? null);
  }
}

/** Null for errors that are not counted, such as an unknown key. */
function refusalOf(thrown: unknown, { envelope }: Route): IngestRefusal | null {
  // A bug, as `renderError` answers it.
  if (!isAppError(thrown)) return envelope === "otlp" ? "service_unavailable" : "internal";
  return ingestRefusals.find((reason) => reason === thrown.code) ?? null;
}
