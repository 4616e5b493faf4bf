import { queryOptions } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import type { components } from "../api/schema.gen.d.ts";

type DatasetPage = components["schemas"]["DatasetSummaries"];

/** A dataset without its questions. */
export type DatasetSummary = DatasetPage["datasets"][number];

/** More than a choice can show; the datasets page shows all of them. */
const pagesMax = 10;

/** A page of the project's datasets without their questions, newest first. */
export async function readDatasetPage(
  api: ProjectApi,
  query: { search?: string; cursor?: string; limit?: string },
  signal: AbortSignal,
): Promise<DatasetPage> {
  const params = { query: { view: "summary", ...query } };
  const page = await bodyOf(api.GET("/api/v1/custom-agent-evaluations/datasets", { params, signal }));
  if (!("totalCount" in page)) throw new Error("The server sent whole datasets instead of a page of summaries.");
  return page;
}

/** The project's datasets, newest first, for choices and lookups by id. At most 2,000. */
export const allDatasetsQuery = (api: ProjectApi) =>
  queryOptions({
    queryKey: [api.projectId, "datasets", "all"],
    queryFn: async ({ signal }) => {
      const datasets: DatasetSummary[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < pagesMax; page += 1) {
        const read: DatasetPage = await readDatasetPage(
          api,
          { limit: "200", ...(cursor !== null && { cursor }) },
          signal,
        );
        datasets.push(...read.datasets);
        cursor = read.nextCursor;
        if (cursor === null) break;
      }
      return datasets;
    },
  });
