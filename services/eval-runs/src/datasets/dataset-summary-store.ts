import type { Database } from "@touchstone/db";
import type { DocumentSummary } from "./dataset-summary.ts";
import type { WorkOnDataset } from "./dataset-work.ts";

/** A dataset as it is listed. */
export interface DatasetSummary extends Omit<DocumentSummary, "metadata"> {
  id: string;
  version: number;
  createdAt: Date;
  /** The creation time of its newest version. */
  updatedAt: Date;
  /** The creation time of its newest run; null when there is none. */
  lastRunAt: Date | null;
}

export interface SummaryQuery {
  /** Part of the name or the description, case-insensitive; null = all. */
  search: string | null;
  /** The only dataset; null = all. */
  id: string | null;
  /** The dataset to continue after; null = from the newest. */
  cursor: string | null;
  limit: number;
}

export interface DatasetSummaryStore {
  /** Newest first, without their documents; `totalCount` counts all matches. */
  list(projectId: string, query: SummaryQuery): Promise<{ summaries: DatasetSummary[]; totalCount: number }>;
}

export function createDatasetSummaryStore(database: Database, work: WorkOnDataset): DatasetSummaryStore {
  return {
    async list(projectId, { search, id, cursor, limit }) {
      await summarizeRest(database, work, projectId);
      const [summaries, total] = await Promise.all([
        database.readScoped<DatasetSummary>([projectId], {
          name: "dataset_list_summaries",
          // Newest first: an id begins with its creation time in milliseconds.
          text: `
            select
              datasets.id, datasets.version, datasets.name, datasets.description, datasets.case_count as "caseCount",
              datasets.created_at as "createdAt", versions.created_at as "updatedAt", last_run.created_at as "lastRunAt"
            from evals.datasets
            join evals.dataset_versions as versions
              on versions.project_id = datasets.project_id
              and versions.dataset_id = datasets.id
              and versions.version = datasets.version
            left join lateral (
              select runs.created_at
              from evals.runs
              where runs.project_id = datasets.project_id
                and runs.dataset_id = datasets.id
              order by runs.created_at desc
              limit 1
            ) as last_run on true
            where ${matching}
              and ($4::uuid is null or datasets.id < $4)
            order by datasets.id desc
            limit $5`,
          values: [projectId, search, id, cursor, limit],
        }),
        database.readScoped<{ count: number }>([projectId], {
          name: "dataset_count_matching",
          text: `select count(*)::integer as count from evals.datasets where ${matching}`,
          values: [projectId, search, id],
        }),
      ]);
      return { summaries: summaries.rows, totalCount: total.rows[0]?.count ?? 0 };
    },
  };
}

const matching = `
  datasets.project_id = $1
  and ($3::uuid is null or datasets.id = $3)
  and (
    $2::text is null
    or position(lower($2) in lower(datasets.name || ' ' || coalesce(datasets.description, ''))) > 0
  )`;

/** Makes summaries that are missing or outdated, one document at a time. */
export async function summarizeRest(database: Database, work: WorkOnDataset, projectId: string): Promise<void> {
  const { rows } = await database.readScoped<{ id: string }>([projectId], {
    name: "dataset_list_to_summarize",
    text: `
      select id
      from evals.datasets
      where project_id = $1
        and summarized_version is distinct from version`,
    values: [projectId],
  });
  for (const { id } of rows) {
    await database.scoped([projectId], async (transaction) => {
      const found = await transaction.query<{ version: number; document: string }>({
        name: "dataset_read_to_summarize",
        text: `
          select datasets.version, versions.document::text
          from evals.datasets
          join evals.dataset_versions as versions
            on versions.project_id = datasets.project_id
            and versions.dataset_id = datasets.id
            and versions.version = datasets.version
          where datasets.project_id = $1
            and datasets.id = $2
            and datasets.summarized_version is distinct from datasets.version
          for update of datasets`,
        values: [projectId, id],
      });
      const [row] = found.rows;
      if (row === undefined) return;
      const { document } = row;
      const of = { projectId, size: document.length };
      const { name, description, caseCount, metadata } = await work("summarizeDataset", { document }, of);
      await transaction.query({
        name: "dataset_summarize",
        text: `
          update evals.datasets
          set name = $3, description = $4, case_count = $5, summarized_version = $6, metadata = $7
          where project_id = $1
            and id = $2`,
        values: [projectId, id, name, description, caseCount, row.version, metadata],
      });
    });
  }
}
