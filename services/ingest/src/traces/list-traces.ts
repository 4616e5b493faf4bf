import { isUuid, limits } from "@touchstone/contracts";
import {
  AppError,
  createReadTurns,
  type Handler,
  Pieces,
  readParameter,
  requireProject,
} from "@touchstone/service-kit";
import type { ReadSpan } from "../model/read-span.ts";
import type { CostEstimator } from "../pricing/cost-estimator.ts";
import type { RootPage, TraceStore } from "../trace-store/trace-store.ts";
import { isPreview, readRootFilter } from "./read-root-filter.ts";
import { bytesOfPieces, type JsonPieces, joinPieces, showListItem, showPreviews } from "./show-trace.ts";

const noRoots: RootPage<JsonPieces> = { items: [], lastId: null, hasNextPage: false, isCut: false, totalCount: 0 };

/** `GET /ingest/traces`: root traces, newest first, with the exact number of matches (completions 2.3). */
export function listTraces({ traces, costs }: { traces: TraceStore; costs: CostEstimator }): Handler {
  const turns = createReadTurns("ingest");
  return async (call) => {
    const cursor = readParameter(call.query, "cursor");
    // A well-formed cursor is never looked up: it works even after its row was removed.
    if (cursor !== null && !isUuid(cursor)) throw new AppError("bad_request", "Unknown cursor");
    const projectId = requireProject(call);
    const { organizationId } = call.identity;
    const filter = readRootFilter(call.query);
    const show = isPreview(call.query)
      ? async (roots: readonly ReadSpan[]) =>
          showPreviews(roots, await costs.estimatePage({ projectId, organizationId }, roots))
      : (roots: readonly ReadSpan[]) => Promise.all(roots.map(showListItem));
    const turn = turns.open(projectId);
    const makeRoom = async (bytes: number): Promise<void> => {
      // In the order of all lists: two that waited for what the other one holds would both be refused.
      await turn.begin();
      await call.makeRoom(bytes);
    };
    const showing = { show, bytesOf: bytesOfPieces, makeRoom };
    const query = { projectId, limit: readAnyLimit(readParameter(call.query, "limit")), before: cursor };
    const page = filter === null ? noRoots : await traces.listRoots({ ...filter, ...query }, showing).finally(turn.end);
    const rest = {
      hasNextPage: page.hasNextPage,
      nextCursor: page.hasNextPage ? page.lastId : null,
      ...(page.isCut && { truncatedBy: "bytes" }),
    };
    return {
      status: 200,
      body: new Pieces([
        Buffer.from(`{"totalCount":${page.totalCount},"traces":[`),
        ...joinPieces(page.items),
        Buffer.from(`],${JSON.stringify(rest).slice(1)}`),
      ]),
    };
  };
}

/** Never refuses: a text that is no number counts as absent, and a number out of the range as its nearest end. */
function readAnyLimit(text: string | null): number {
  const asked = text === null || text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(asked)) return limits.tracePageDefault;
  return Math.min(Math.max(Math.trunc(asked), 1), limits.tracePageMax);
}
