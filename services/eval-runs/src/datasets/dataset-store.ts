import type { Database, Statement } from "@touchstone/db";

/** A dataset at its newest version. `document` is what {@link composeDatasetDocument} made. */
export interface StoredDataset {
  id: string;
  version: number;
  document: string;
  createdAt: Date;
}

/** Datasets and their versions. A version never changes once it is written, so whoever holds its number holds it for good. */
export interface DatasetStore {
  insert(projectId: string, dataset: Omit<StoredDataset, "version">): Promise<void>;
  find(projectId: string, id: string): Promise<StoredDataset | null>;
  /** The newest version's number, without its document. */
  findVersion(projectId: string, id: string): Promise<number | null>;
  /** All of the project, newest first. */
  list(projectId: string): Promise<StoredDataset[]>;
  /** The document of one version, also of a dataset that has newer ones. */
  readVersion(projectId: string, id: string, version: number): Promise<string | null>;
}

export function createDatasetStore(database: Database): DatasetStore {
  async function select<Row extends Record<string, unknown>>(projectId: string, statement: Statement): Promise<Row[]> {
    return (await database.readScoped<Row>([projectId], statement)).rows;
  }

  return {
    async insert(projectId, { id, document, createdAt }) {
      // The dataset and its first version, both or neither.
      await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "dataset_insert",
          text: `
            with first_version as (
              insert into evals.dataset_versions (project_id, dataset_id, version, document, created_at)
              values ($1, $2, 1, $3, $4)
            )
            insert into evals.datasets (project_id, id, version, created_at)
            values ($1, $2, 1, $4)`,
          values: [projectId, id, document, createdAt],
        }),
      );
    },

    async find(projectId, id) {
      const rows = await select<DatasetRow>(projectId, {
        name: "dataset_find",
        text: `
          select datasets.id, datasets.version, versions.document::text, datasets.created_at
          from evals.datasets
          join evals.dataset_versions as versions
            on versions.project_id = datasets.project_id
            and versions.dataset_id = datasets.id
            and versions.version = datasets.version
          where datasets.project_id = $1
            and datasets.id = $2`,
        values: [projectId, id],
      });
      return rows[0] === undefined ? null : readRow(rows[0]);
    },

    async findVersion(projectId, id) {
      const rows = await select<{ version: number }>(projectId, {
        name: "dataset_find_version",
        text: `
          select version
          from evals.datasets
          where project_id = $1
            and id = $2`,
        values: [projectId, id],
      });
      return rows[0]?.version ?? null;
    },

    async list(projectId) {
      // Newest first: an id begins with the millisecond it was made in.
      const rows = await select<DatasetRow>(projectId, {
        name: "dataset_list",
        text: `
          select datasets.id, datasets.version, versions.document::text, datasets.created_at
          from evals.datasets
          join evals.dataset_versions as versions
            on versions.project_id = datasets.project_id
            and versions.dataset_id = datasets.id
            and versions.version = datasets.version
          where datasets.project_id = $1
          order by datasets.id desc`,
        values: [projectId],
      });
      return rows.map(readRow);
    },

    async readVersion(projectId, id, version) {
      const rows = await select<{ document: string }>(projectId, {
        name: "dataset_version_read",
        text: `
          select document::text
          from evals.dataset_versions
          where project_id = $1
            and dataset_id = $2
            and version = $3`,
        values: [projectId, id, version],
      });
      return rows[0]?.document ?? null;
    },
  };
}

type DatasetRow = { id: string; version: number; document: string; created_at: Date };

const readRow = (row: DatasetRow): StoredDataset => ({
  id: row.id,
  version: row.version,
  document: row.document,
  createdAt: row.created_at,
});
