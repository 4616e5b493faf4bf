import { type Database, type ListQuery, type Statement, selectPart } from "@touchstone/db";
import type { ListPage, SizedRow } from "@touchstone/service-kit";
import { readList } from "../queries/list-query.ts";
import type { EncodedDocument } from "./dataset-summary.ts";

/** A dataset at its newest version. `document` was made by {@link composeDatasetDocument}. */
export type StoredDataset = {
  id: string;
  version: number;
  document: string;
  createdAt: Date;
};

/** A dataset at its first version. */
export type NewDataset = Pick<StoredDataset, "id" | "createdAt"> & { document: EncodedDocument };

/** One version of a dataset. */
export type DatasetVersion = {
  version: number;
  document: string;
  changeSummary: string;
  createdAt: Date;
};

/** Datasets and their versions. Versions are immutable, so a version number always refers to the same content. */
export interface DatasetStore {
  insert(projectId: string, dataset: NewDataset): Promise<void>;
  find(projectId: string, id: string): Promise<StoredDataset | null>;
  /** The newest version's number, without its document. */
  findVersion(projectId: string, id: string): Promise<number | null>;
  /** The project's datasets, newest first. */
  list(projectId: string, query: ListQuery): Promise<ListPage<StoredDataset>>;
  /** The document of one version, which need not be the newest. */
  readVersion(projectId: string, id: string, version: number): Promise<string | null>;
  /** Newest first; the cursor is a version's number. */
  listVersions(projectId: string, id: string, query: ListQuery<number>): Promise<ListPage<DatasetVersion>>;
  /** The number of versions of each dataset; unknown datasets are left out. */
  countVersions(projectId: string, ids: readonly string[]): Promise<Map<string, number>>;
}

export function createDatasetStore(database: Database): DatasetStore {
  async function select<Row extends Record<string, unknown>>(projectId: string, statement: Statement): Promise<Row[]> {
    return (await database.readScoped<Row>([projectId], statement)).rows;
  }

  return {
    async insert(projectId, dataset) {
      await database.scoped([projectId], (transaction) => transaction.query(insertDataset(projectId, dataset)));
    },

    async find(projectId, id) {
      return (await select<StoredDataset>(projectId, selectDataset(projectId, id)))[0] ?? null;
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

    list: (projectId, query) =>
      readList<StoredDataset & SizedRow, string>(database, projectId, query, {
        cursorOf: ({ id }) => id,
        statement: (cursor, { rowsMax, bytesMax }) => ({
          name: "dataset_list",
          // Newest first: an id begins with its creation time in milliseconds.
          text: selectPart({
            rows: `
              select datasets.id, datasets.version, versions.document, versions.document_bytes, datasets.created_at
              from ${datasetSource}
              where datasets.project_id = $1
                and ($2::uuid is null or datasets.id < $2)
              order by datasets.id desc
              limit $3`,
            stored: { document_bytes: ["document"] },
            order: "id desc",
            columns: 'id, version, document::text, created_at as "createdAt"',
            bytesMax: "$4",
          }),
          values: [projectId, cursor, rowsMax, bytesMax],
        }),
      }),

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

    listVersions: (projectId, id, query) =>
      readList<DatasetVersion & SizedRow, number>(database, projectId, query, {
        cursorOf: ({ version }) => version,
        statement: (cursor, { rowsMax, bytesMax }) => ({
          name: "dataset_list_versions",
          text: selectPart({
            rows: `
              select version, document, document_bytes, change_summary, created_at
              from evals.dataset_versions
              where project_id = $1
                and dataset_id = $2
                and ($3::integer is null or version < $3)
              order by version desc
              limit $4`,
            stored: { document_bytes: ["document"] },
            order: "version desc",
            columns: 'version, document::text, change_summary as "changeSummary", created_at as "createdAt"',
            bytesMax: "$5",
          }),
          values: [projectId, id, cursor, rowsMax, bytesMax],
        }),
      }),

    async countVersions(projectId, ids) {
      const rows = await select<{ id: string; versions: number }>(projectId, {
        name: "dataset_count_versions",
        text: `
          select datasets.id, count(*)::integer as versions
          from evals.datasets
          join evals.dataset_versions as versions
            on versions.project_id = datasets.project_id
            and versions.dataset_id = datasets.id
          where datasets.project_id = $1
            and datasets.id = any ($2)
          group by datasets.id`,
        values: [projectId, ids],
      });
      return new Map(rows.map((row) => [row.id, row.versions]));
    },
  };
}

const datasetColumns = 'datasets.id, datasets.version, versions.document::text, datasets.created_at as "createdAt"';

const datasetSource = `
  evals.datasets
  join evals.dataset_versions as versions
    on versions.project_id = datasets.project_id
    and versions.dataset_id = datasets.id
    and versions.version = datasets.version`;

/** A dataset at its newest version: rows of {@link StoredDataset}. */
export const selectDataset = (projectId: string, id: string): Statement => ({
  name: "dataset_find",
  text: `
    select ${datasetColumns}
    from ${datasetSource}
    where datasets.project_id = $1
      and datasets.id = $2`,
  values: [projectId, id],
});

/** Inserts both the dataset and its first version, or neither. */
export function insertDataset(projectId: string, { id, document, createdAt }: NewDataset): Statement {
  const { name, description, caseCount, metadata } = document.summary;
  return {
    name: "dataset_insert",
    text: `
      with first_version as (
        insert into evals.dataset_versions (project_id, dataset_id, version, document, created_at)
        values ($1, $2, 1, $3, $4)
      )
      insert into evals.datasets (
        project_id, id, version, created_at, name, description, case_count, metadata, summarized_version
      )
      values ($1, $2, 1, $4, $5, $6, $7, $8, 1)`,
    values: [projectId, id, document.bytes, createdAt, name, description, caseCount, metadata],
  };
}
