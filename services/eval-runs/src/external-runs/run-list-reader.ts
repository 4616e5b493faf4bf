import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { memberText } from "@touchstone/service-kit";
import { itemColumns, type RunName, type StoredItem } from "./named-run-store.ts";

/** A named run as it is listed. */
export type ListedRun = {
  id: string;
  name: string;
  datasetId: string;
  datasetName: string;
  /** JSON text of its description and metadata. */
  subject: string;
  createdAt: Date;
  updatedAt: Date;
};

interface Page {
  offset: number;
  limit: number;
}

/** Reads external runs by the names that clients gave them. */
export interface RunLists {
  /** Newest first; `totalCount` counts all. */
  listRuns(projectId: string, datasetId: string, page: Page): Promise<{ runs: ListedRun[]; totalCount: number }>;
  findRun(run: RunName): Promise<ListedRun | null>;
  /** Newest first; `totalCount` counts all. */
  listItems(projectId: string, runId: string, page: Page): Promise<{ items: StoredItem[]; totalCount: number }>;
}

export function createRunLists(database: Database): RunLists {
  const count = async (projectId: string, name: string, text: string, id: string): Promise<number> =>
    (await database.readScoped<{ count: number }>([projectId], { name, text, values: [projectId, id] })).rows[0]
      ?.count ?? 0;

  return {
    async listRuns(projectId, datasetId, { offset, limit }) {
      const [found, totalCount] = await Promise.all([
        database.readScoped<ListedRun>([projectId], {
          name: "named_runs_list",
          text: `
            ${selectRuns}
            order by runs.created_at desc, runs.id desc
            limit $3 offset $4`,
          values: [projectId, datasetId, limit, offset],
        }),
        count(
          projectId,
          "named_runs_count",
          "select count(*)::integer as count from evals.named_runs where project_id = $1 and dataset_id = $2",
          datasetId,
        ),
      ]);
      return { runs: found.rows, totalCount };
    },

    async findRun({ projectId, datasetId, name }) {
      const { rows } = await database.readScoped<ListedRun>([projectId], {
        name: "named_run_read",
        text: `
          ${selectRuns}
            and named_runs.name = $3`,
        values: [projectId, datasetId, name],
      });
      return rows[0] ?? null;
    },

    async listItems(projectId, runId, { offset, limit }) {
      const [found, totalCount] = await Promise.all([
        database.readScoped<StoredItem & Record<string, unknown>>([projectId], {
          name: "run_items_list",
          text: `
            select ${itemColumns}
            from evals.run_items
            where project_id = $1
              and run_id = $2
            order by result_id desc
            limit $3 offset $4`,
          values: [projectId, runId, Math.min(limit, limits.peerRunItemsMax), offset],
        }),
        count(
          projectId,
          "run_items_count",
          "select count(*)::integer as count from evals.run_items where project_id = $1 and run_id = $2",
          runId,
        ),
      ]);
      return { items: found.rows, totalCount };
    },
  };
}

const selectRuns = `
            select
              runs.id, named_runs.name, named_runs.dataset_id as "datasetId", datasets.name as "datasetName",
              runs.evaluation_subject::text as subject, runs.created_at as "createdAt", named_runs.updated_at as "updatedAt"
            from evals.named_runs
            join evals.runs
              on runs.project_id = named_runs.project_id
              and runs.id = named_runs.run_id
            join evals.datasets
              on datasets.project_id = named_runs.project_id
              and datasets.id = named_runs.dataset_id
            where named_runs.project_id = $1
              and named_runs.dataset_id = $2`;

/** An item as dropin reads it. */
export function renderItem({ spanId: _, ...item }: StoredItem, runName: string): string {
  return JSON.stringify({ ...item, runName });
}

/** A run as dropin reads it; its metadata are inserted as they were sent. */
export function renderNamedRun({ subject, ...run }: ListedRun): string {
  const description = memberText(subject, "description") ?? "null";
  const metadata = memberText(subject, "metadata") ?? "null";
  return `${JSON.stringify(run).slice(0, -1)},"description":${description},"metadata":${metadata}}`;
}
