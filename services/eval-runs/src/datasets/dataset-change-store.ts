import { type Database, type Queryable, sqlStateOf } from "@touchstone/db";
import type { Act } from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";
import { type DatasetEdits, StaleDataset } from "./dataset-edits.ts";
import { type StoredDataset, selectDataset } from "./dataset-store.ts";
import type { WorkOnDataset } from "./dataset-work.ts";
import type { DatasetEdit, EditedDataset } from "./dataset-work-thread.ts";

/** A dataset after an edit. */
export interface UpdatedDataset<Outcome> extends Omit<StoredDataset, "document"> {
  /** The text that was read, if nothing changed; else the bytes that were stored. */
  document: string | Uint8Array;
  isChanged: boolean;
  outcome: Outcome;
}

/**
 * Changes of datasets. Changes of one dataset are serialized, so that none is lost. Deletions are recorded in the audit log.
 */
export interface DatasetBook {
  /**
   * Stores the document that an edit makes from the newest one as a new version, unless it is equal. The edit runs under the
   * dataset's lock, with a deadline. Null when there is no such dataset. Throws what the edit throws.
   */
  update<Name extends keyof DatasetEdits>(
    projectId: string,
    id: string,
    edit: DatasetEdit<Name>,
    changedAt: Date,
    options?: UpdateOptions,
  ): Promise<UpdatedDataset<OutcomeOf<Name>> | null>;
  /** Deletes a dataset with the versions that no run uses; false when there is no such dataset. */
  delete(projectId: string, id: string, act: Act): Promise<boolean>;
  /** False when there is no such version, it is the newest, or a run uses it. */
  deleteVersion(projectId: string, id: string, version: number, act: Act): Promise<boolean>;
}

type OutcomeOf<Name extends keyof DatasetEdits> = ReturnType<DatasetEdits[Name]>["outcome"];

interface UpdateOptions {
  /** The size of what the edit adds. */
  size?: number;
  /**
   * The change is a small part of what a client sends one by one. Its version takes the place of the one before, if that was made
   * in the same way and no run uses it: otherwise a dataset of n items would keep n documents.
   */
  isOneOfMany?: boolean;
}

/** The summary of such a version. */
const oneOfMany = "Items sent one by one";

export function createDatasetBook(database: Database, work: WorkOnDataset): DatasetBook {
  async function make<Name extends keyof DatasetEdits>(
    projectId: string,
    current: StoredDataset,
    { edit, describes, size }: { edit: DatasetEdit<Name>; describes: boolean; size: number },
  ) {
    const edited = await work(
      "editDataset",
      { current, edit: edit as DatasetEdit, describes },
      { projectId, size: current.document.length + size },
    );
    if ("stale" in edited) throw new StaleDataset(edited.stale.read, edited.stale.version, edited.stale.caseText);
    return edited as Exclude<EditedDataset<OutcomeOf<Name>>, { stale: unknown }>;
  }

  return {
    update: (projectId, id, edit, changedAt, { isOneOfMany = false, size = 0 } = {}) =>
      besideNewRuns(() =>
        database.scoped([projectId], async (transaction) => {
          // Two statements: a single one would read the version that was newest before it waited for the lock.
          const [, { rows }] = await transaction.pipeline<[object, StoredDataset]>([
            lockDataset(projectId, id),
            selectDataset(projectId, id),
          ]);
          const current = rows[0];
          if (current === undefined) return null;
          const { change, outcome } = await make(projectId, current, { edit, describes: !isOneOfMany, size });
          if (change === null) return { ...current, isChanged: false, outcome };
          const version = current.version + 1;
          const { name, description, caseCount, metadata } = change.summary;
          await transaction.query({
            name: "dataset_update",
            text: `
              with next_version as (
                insert into evals.dataset_versions (project_id, dataset_id, version, document, change_summary, created_at)
                values ($1, $2, $3, $4, $5, $6)
              )
              update evals.datasets
              set version = $3, name = $7, description = $8, case_count = $9, metadata = $10, summarized_version = $3
              where project_id = $1
                and id = $2`,
            values: [
              projectId,
              id,
              version,
              change.bytes,
              change.words ?? oneOfMany,
              changedAt,
              name,
              description,
              caseCount,
              metadata,
            ],
          });
          if (isOneOfMany) await dropReplaced(transaction, projectId, id, current.version);
          return { ...current, version, document: change.bytes, isChanged: true, outcome };
        }),
      ),

    delete: (projectId, id, act) =>
      besideNewRuns(() =>
        database.scoped([projectId], async (transaction) => {
          const { rowCount } = await transaction.query(lockDataset(projectId, id));
          if (rowCount === 0) return false;
          await transaction.query({
            name: "dataset_delete",
            text: `
              with deleted as (
                delete from evals.datasets
                where project_id = $1
                  and id = $2
              )
              delete from evals.dataset_versions as versions
              where versions.project_id = $1
                and versions.dataset_id = $2
                and ${unused}`,
            values: [projectId, id],
          });
          await recordAuditEvent(transaction, act, { action: "dataset.deleted", targetId: id });
          return true;
        }),
      ),

    deleteVersion: (projectId, id, version, act) =>
      besideNewRuns(() =>
        database.scoped([projectId], async (transaction) => {
          if (!(await deleteVersion(transaction, projectId, id, version))) return false;
          await recordAuditEvent(transaction, act, {
            action: "dataset-version.deleted",
            targetId: id,
            details: { version },
          });
          return true;
        }),
      ),
  };
}

/** Deletes a version that was {@link UpdateOptions.isOneOfMany}, unless a run uses it. The newest one must not be named. */
export const dropReplaced = (transaction: Queryable, ...version: VersionKey): Promise<void> =>
  dropUnused(transaction, version, {
    name: "dataset_drop_replaced_version",
    condition: "versions.change_summary = $4",
    values: [oneOfMany],
  });

/** Deletes a version that a run was the last to use, if its dataset is deleted. */
export const dropLeftVersion = (transaction: Queryable, ...version: VersionKey): Promise<void> =>
  dropUnused(transaction, version, {
    name: "dataset_drop_left_version",
    condition: `
          not exists (
            select
            from evals.datasets
            where datasets.project_id = $1
              and datasets.id = $2
          )`,
    values: [],
  });

type VersionKey = readonly [projectId: string, datasetId: string, version: number];

/** Deletes a version that no run uses, under a condition whose parameters begin with $4. */
async function dropUnused(
  transaction: Queryable,
  version: VersionKey,
  { name, condition, values }: { name: string; condition: string; values: readonly unknown[] },
): Promise<void> {
  await transaction.query({
    name,
    text: `
      delete from evals.dataset_versions as versions
      where versions.project_id = $1
        and versions.dataset_id = $2
        and versions.version = $3
        and ${condition}
        and ${unused}`,
    values: [...version, ...values],
  });
}

async function deleteVersion(transaction: Queryable, projectId: string, id: string, version: number): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: "dataset_delete_version",
    text: `
      delete from evals.dataset_versions as versions
      using evals.datasets
      where versions.project_id = $1
        and versions.dataset_id = $2
        and versions.version = $3
        and datasets.project_id = versions.project_id
        and datasets.id = versions.dataset_id
        and datasets.version > versions.version
        and ${unused}`,
    values: [projectId, id, version],
  });
  return rowCount === 1;
}

const unused = `
  not exists (
    select
    from evals.runs
    where runs.project_id = versions.project_id
      and runs.dataset_id = versions.dataset_id
      and runs.dataset_version = versions.version
  )`;

const lockDataset = (projectId: string, id: string) => ({
  name: "dataset_lock",
  text: `
    select id
    from evals.datasets
    where project_id = $1
      and id = $2
    for update`,
  values: [projectId, id],
});

const foreignKeyViolation = "23503";
const attemptsMax = 3;

/** A run created at the same moment keeps its version: a retry sees the run that caused the first failure. */
async function besideNewRuns<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (sqlStateOf(thrown) !== foreignKeyViolation || attempt === attemptsMax) throw thrown;
    }
  }
}
