import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { insertDataset, type NewDataset, type StoredDataset } from "./dataset-store.ts";
import { summarizeRest } from "./dataset-summary-store.ts";
import type { WorkOnDataset } from "./dataset-work.ts";

/** A dataset at its newest version, with the time of that version. */
export type NamedDataset = StoredDataset & { updatedAt: Date };

/** A dataset without its cases; `metadata` is JSON text. */
export interface DatasetHead {
  id: string;
  name: string;
  description: string | null;
  metadata: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Datasets by name, and cases by the ids that clients gave them. Names need not be unique: of several datasets with one name the
 * oldest has it.
 */
export interface NamedDatasetStore {
  find(projectId: string, name: string): Promise<NamedDataset | null>;
  findById(projectId: string, id: string): Promise<NamedDataset | null>;
  /** As {@link NamedDatasetStore.find}, without reading the cases. */
  findId(projectId: string, name: string): Promise<string | null>;
  /** Callers with one name wait for each other: only the first one inserts. */
  findOrInsert(projectId: string, name: string, dataset: NewDataset): Promise<{ isNew: boolean }>;
  /** Newest first, with long descriptions cut and without large metadata; `totalCount` counts all. */
  list(
    projectId: string,
    page: { offset: number; limit: number },
  ): Promise<{ datasets: DatasetHead[]; totalCount: number }>;
  /** Gives a case id to a dataset, unless one has it; returns the dataset that has it. */
  claimCaseId(projectId: string, caseId: string, datasetId: string): Promise<string>;
  /** Returns whether it did: another caller may have been faster. */
  moveCaseId(projectId: string, caseId: string, datasets: { from: string; to: string }): Promise<boolean>;
  /** Null: no client gave this id. */
  findCaseId(projectId: string, caseId: string): Promise<string | null>;
}

export function createNamedDatasetStore(database: Database, work: WorkOnDataset): NamedDatasetStore {
  async function findBy(projectId: string, key: { id: string } | { name: string }): Promise<NamedDataset | null> {
    const { rows } = await database.readScoped<NamedDataset>([projectId], {
      name: "id" in key ? "dataset_find_with_time" : "dataset_find_by_name",
      text: `
        select
          datasets.id, datasets.version, versions.document::text, datasets.created_at as "createdAt",
          versions.created_at as "updatedAt"
        from ${source}
        where datasets.project_id = $1
          and ${"id" in key ? "datasets.id = $2" : "datasets.name = $2"}
        order by datasets.id
        limit 1`,
      values: [projectId, "id" in key ? key.id : key.name],
    });
    return rows[0] ?? null;
  }

  return {
    findById: (projectId, id) => findBy(projectId, { id }),

    async findId(projectId, name) {
      const find = async () =>
        (await database.readScoped<{ id: string }>([projectId], selectIdByName(projectId, name))).rows[0]?.id ?? null;
      const found = await find();
      if (found !== null) return found;
      await summarizeRest(database, work, projectId);
      return find();
    },

    async find(projectId, name) {
      const found = await findBy(projectId, { name });
      if (found !== null) return found;
      await summarizeRest(database, work, projectId);
      return findBy(projectId, { name });
    },

    findOrInsert: (projectId, name, dataset) =>
      database.scoped([projectId], async (transaction) => {
        await transaction.query({
          name: "dataset_lock_name",
          text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
          values: [`evals.dataset_name ${projectId} ${name}`],
        });
        const isNew = (await transaction.query(selectIdByName(projectId, name))).rowCount === 0;
        if (isNew) await transaction.query(insertDataset(projectId, dataset));
        return { isNew };
      }),

    async list(projectId, { offset, limit }) {
      await summarizeRest(database, work, projectId);
      const [found, counted] = await Promise.all([
        database.readScoped<DatasetHead>([projectId], {
          name: "dataset_list_heads",
          text: `
            select
              datasets.id, datasets.name, datasets.description, datasets.created_at as "createdAt",
              versions.created_at as "updatedAt",
              case when octet_length(datasets.metadata::text) <= $4 then datasets.metadata::text end as metadata
            from ${source}
            where datasets.project_id = $1
            order by datasets.id desc
            limit $2 offset $3`,
          values: [projectId, limit, offset, limits.smallBodyMaxBytes],
        }),
        database.readScoped<{ count: number }>([projectId], {
          name: "dataset_count",
          text: "select count(*)::integer as count from evals.datasets where project_id = $1",
          values: [projectId],
        }),
      ]);
      return { datasets: found.rows, totalCount: counted.rows[0]?.count ?? 0 };
    },

    claimCaseId: (projectId, caseId, datasetId) =>
      database.scoped([projectId], async (transaction) => {
        await transaction.query({
          name: "case_id_claim",
          text: `
            insert into evals.case_ids (project_id, case_id, dataset_id)
            values ($1, $2, $3)
            on conflict do nothing`,
          values: [projectId, caseId, datasetId],
        });
        const { rows } = await transaction.query<{ id: string }>(selectCaseId(projectId, caseId));
        return rows[0]?.id ?? datasetId;
      }),

    async moveCaseId(projectId, caseId, { from, to }) {
      const { rowCount } = await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "case_id_move",
          text: `
            update evals.case_ids
            set dataset_id = $4
            where project_id = $1
              and case_id = $2
              and dataset_id = $3`,
          values: [projectId, caseId, from, to],
        }),
      );
      return rowCount === 1;
    },

    async findCaseId(projectId, caseId) {
      return (
        (await database.readScoped<{ id: string }>([projectId], selectCaseId(projectId, caseId))).rows[0]?.id ?? null
      );
    },
  };
}

const source = `
  evals.datasets
  join evals.dataset_versions as versions
    on versions.project_id = datasets.project_id
    and versions.dataset_id = datasets.id
    and versions.version = datasets.version`;

const selectCaseId = (projectId: string, caseId: string) => ({
  name: "case_id_find",
  text: `
    select dataset_id as id
    from evals.case_ids
    where project_id = $1
      and case_id = $2`,
  values: [projectId, caseId],
});

const selectIdByName = (projectId: string, name: string) => ({
  name: "dataset_find_id_by_name",
  text: `
    select id
    from evals.datasets
    where project_id = $1
      and name = $2
    order by id
    limit 1`,
  values: [projectId, name],
});
