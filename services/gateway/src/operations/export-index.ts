import { type ExportEntity, exportEntities, exportEntityNames, internalRoutes } from "@touchstone/contracts";
import { type Answer, AppError, type InternalClient, readSince } from "@touchstone/service-kit";

/** Time limit of one service's count; an index of millions of rows takes a second. */
const countDeadlineMs = 10_000;

export interface ExportIndexRequest {
  projectId: string;
  query: Readonly<Record<string, unknown>>;
  requestId: string;
}

export type ReadExportIndex = (request: ExportIndexRequest) => Promise<Answer>;

/**
 * `GET /export`: the entities to export with their counts, one from each service (completions 13). A service that does
 * not answer makes it 503: a zero would look like an empty project.
 */
export function createExportIndex(
  clients: Readonly<Record<"auth" | "ingest" | "eval-runs" | "monitor", InternalClient>>,
): ReadExportIndex {
  return async ({ projectId, query, requestId }) => {
    const asked = { projectId, sinceMs: readSince(query) };
    const options = { requestId, deadlineMs: countDeadlineMs };
    const counts = await Promise.all([
      clients.ingest.call(internalRoutes.countIngestExport, asked, options),
      clients["eval-runs"].call(internalRoutes.countEvalRunsExport, asked, options),
      clients.monitor.call(internalRoutes.countMonitorExport, asked, options),
      clients.auth.call(internalRoutes.countAuthExport, asked, options),
    ]);
    const rows = new Map(counts.flatMap(({ entities }) => entities.map((each) => [each.entity, each.rows])));
    const entities = exportEntityNames.map((entity) => {
      const counted = rows.get(entity);
      if (counted === undefined) throw notCounted(entity);
      return { entity, rows: counted, path: `/api/v1/export/${entity}` };
    });
    return { status: 200, body: { generatedAt: new Date().toISOString(), format: "ndjson", entities } };
  };
}

/** `GET /export/{entity}` for an unknown entity; others are forwarded to their owner. */
export function refuseUnknownEntity(entity: string): Answer {
  return { status: 404, body: { error: `Unknown export entity "${entity}"`, entities: exportEntityNames } };
}

/** The service has an older version. */
function notCounted(entity: ExportEntity): AppError {
  return new AppError("service_unavailable", `The ${exportEntities[entity]} service could not answer; retry.`);
}
