import { limits } from "@touchstone/contracts";
import { AppError, type Handler, isUuid, Pieces } from "@touchstone/service-kit";
import type { CostEstimator } from "../../pricing/cost-estimator.ts";
import type { RootPage, TraceStore } from "../../spans/trace-store.ts";
import { joinPieces, showListItem, showPreviews } from "../../traces/show-trace.ts";
import { requireProject } from "../require-project.ts";
import { isPreview, readRootFilter } from "./root-filter.ts";

const noRoots: RootPage = { spans: [], hasNextPage: false, totalCount: 0 };

/** `GET /ingest/traces`: root traces, newest first, with the exact number of all that match (completions 2.3). */
export function listTraces({ traces, costs }: { traces: TraceStore; costs: CostEstimator }): Handler {
  return async (call) => {
    const one = (name: string): string | null => [call.query[name] ?? null].flat()[0] ?? null;
    const cursor = one("cursor") || null;
    // A well-formed cursor is never looked up: it pages on after its row is gone.
    if (cursor !== null && !isUuid(cursor)) throw new AppError("bad_request", "Unknown cursor");
    const projectId = requireProject(call.identity);
    const { organizationId } = call.identity;
    const filter = readRootFilter(call.query);
    const page =
      filter === null
        ? noRoots
        : await traces.listRoots({ ...filter, projectId, limit: readLimit(one("limit")), before: cursor });
    const items = isPreview(call.query)
      ? await showPreviews(page.spans, await costs.estimatePage({ projectId, organizationId }, page.spans))
      : await Promise.all(page.spans.map(showListItem));
    const rest = {
      hasNextPage: page.hasNextPage,
      nextCursor: page.hasNextPage ? (page.spans.at(-1)?.id ?? null) : null,
    };
    return {
      status: 200,
      body: new Pieces([
        Buffer.from(`{"totalCount":${page.totalCount},"traces":[`),
        ...joinPieces(items),
        Buffer.from(`],${JSON.stringify(rest).slice(1)}`),
      ]),
    };
  };
}

function readLimit(text: string | null): number {
  const asked = text === null || text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(asked)) return limits.tracePageDefault;
  return Math.min(Math.max(Math.trunc(asked), 1), limits.tracePageMax);
}
