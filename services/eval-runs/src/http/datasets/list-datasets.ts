import { type datasetSummaries, limits } from "@touchstone/contracts";
import { AppError, type Call, type Handler, isUuid } from "@touchstone/service-kit";
import type { z } from "zod";
import { renderDataset } from "../../datasets/dataset-document.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import type { DatasetSummary, DatasetSummaryStore, SummaryQuery } from "../../datasets/dataset-summary-store.ts";
import { readText } from "../../gates/gate-request.ts";
import { requireProject } from "../require-project.ts";

/**
 * GET /custom-agent-evaluations/datasets: every dataset of the project with its questions, newest first. With
 * `view=summary` a page of them without questions.
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
    const view = readText(call.query, "view");
    if (view !== null && view !== "summary") throw new AppError("bad_request", "view must be summary");
    if (view === "summary") {
      const query = readQuery(call.query);
      const found = await summaries.list(projectId, { ...query, limit: query.limit + 1 });
      return { status: 200, body: renderPage(found, query.limit) };
    }
    const found = await datasets.list(projectId);
    return { status: 200, body: `{"datasets":[${found.map(renderDataset).join(",")}]}` };
  };
}

function readQuery(query: Call["query"]): SummaryQuery {
  const limit = readText(query, "limit") ?? String(limits.datasetPageDefault);
  if (!/^\d{1,9}$/.test(limit) || Number(limit) < 1 || Number(limit) > limits.datasetPageMax) {
    throw new AppError("bad_request", `limit must be a number between 1 and ${limits.datasetPageMax}`);
  }
  const cursor = readText(query, "cursor");
  if (cursor !== null && !isUuid(cursor)) throw new AppError("bad_request", "cursor must be the id of a dataset");
  const search = readText(query, "search")?.replaceAll("\0", "").slice(0, limits.searchTermMaxChars).toWellFormed();
  return { search: search || null, cursor, limit: Number(limit) };
}

/** `summaries` has one more than the page when another page follows. */
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
