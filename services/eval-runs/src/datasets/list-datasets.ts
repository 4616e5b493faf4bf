import { type datasetSummaries, isUuid, limits } from "@touchstone/contracts";
import {
  AppError,
  encodeList,
  endText,
  type Handler,
  readLimit,
  readParameter,
  requireProject,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { readListQuery } from "../queries/list-query.ts";
import { type Query, readCursor } from "../queries/read-query.ts";
import { renderDataset } from "./dataset-document.ts";
import type { DatasetStore } from "./dataset-store.ts";
import type { DatasetSummary, DatasetSummaryStore, SummaryQuery } from "./dataset-summary-store.ts";

/**
 * GET /custom-agent-evaluations/datasets: the datasets of the project with their questions, newest first, all on one page
 * unless they are many megabytes. With `view=summary` a page of them without questions.
 */
export function listDatasets({
  datasets,
  summaries,
}: {
  datasets: DatasetStore;
  summaries: DatasetSummaryStore;
}): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const view = readParameter(call.query, "view");
    if (view !== null && view !== "summary") throw new AppError("bad_request", "view must be summary");
    if (view === "summary") {
      const query = readQuery(call.query);
      const found = await summaries.list(projectId, { ...query, limit: query.limit + 1 });
      return { status: 200, body: renderPage(found, query.limit) };
    }
    const page = await datasets.list(projectId, readListQuery(call, "the id of a dataset"));
    const tail = `]${endText(page, ({ id }) => id)}`;
    return { status: 200, body: await encodeList('{"datasets":[', page.rows.map(renderDataset), tail) };
  };
}

function readQuery(query: Query): SummaryQuery {
  const search = readParameter(query, "search")
    ?.replaceAll("\0", "")
    .slice(0, limits.searchTermMaxChars)
    .toWellFormed();
  const id = readParameter(query, "datasetId");
  if (id !== null && !isUuid(id)) throw new AppError("bad_request", "datasetId must be the id of a dataset");
  return {
    search: search || null,
    id,
    cursor: readCursor(query, "the id of a dataset"),
    limit: readLimit(query, { byDefault: limits.datasetPageDefault, max: limits.datasetPageMax }),
  };
}

/** `summaries` has one more entry than the page when another page follows. */
function renderPage(
  { summaries, totalCount }: { summaries: DatasetSummary[]; totalCount: number },
  limit: number,
): z.input<typeof datasetSummaries> {
  const page = summaries.slice(0, limit);
  const hasNextPage = summaries.length > limit;
  return {
    datasets: page.map(({ id, description, createdAt, updatedAt, lastRunAt, ...summary }) => ({
      _id: id,
      ...summary,
      ...(description !== null && { description }),
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      lastRunAt: lastRunAt?.toISOString() ?? null,
    })),
    totalCount,
    hasNextPage,
    nextCursor: hasNextPage ? (page.at(-1)?.id ?? null) : null,
  };
}
