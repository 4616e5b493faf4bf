import { type Database, type Queryable, sqlStateOf } from "@touchstone/db";
import { type Act, compactText } from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";
import { type StoredDataset, selectDataset } from "./dataset-store.ts";
import { metadataOf, summarizeDocument } from "./dataset-summary.ts";
import { describeChange } from "./describe-change.ts";

/**
 * Changes of datasets. Changes of one dataset are serialized, so that none is lost. Deletions are recorded in the audit log.
 */
export interface DatasetBook {
  /**
   * Stores the document that `compose` makes from the newest one as a new version, unless it is equal. `compose` runs under the
   * dataset's lock, so it must not wait. Null when there is no such dataset.
   */
  update(
    projectId: string,
    id: string,
    compose: (current: StoredDataset) => string,
    changedAt: Date,
    options?: UpdateOptions,
  ): Promise<StoredDataset | null>;
  /** Deletes a dataset with the versions that no run uses; false when there is no such dataset. */
  delete(projectId: string, id: string, act: Act): Promise<boolean>;
  /** False when there is no such version, it is the newest, or a run uses it. */
  deleteVersion(projectId: string, id: string, version: number, act: Act): Promise<boolean>;
}

interface UpdateOptions {
  /**
   * The change is a small part of what a client sends one by one. Its version takes the place of the one before, if that was made
   * in the same way and no run uses it: otherwise a dataset of n items would keep n documents.
   */
  isOneOfMany?: boolean;
}

/** The summary of such a version. */
const oneOfMany = "Items sent one by one";

export function createDatasetBook(database: Database): DatasetBook {
  return {
    update: (projectId, id, compose, changedAt, { isOneOfMany = false } = {}) =>
      besideNewRuns(() =>
        database.scoped([projectId], async (transaction) => {
          // Two statements: a single one would read the version that was newest before it waited for the lock.
          const [, { rows }] = await transaction.pipeline<[object, StoredDataset]>([
            lockDataset(projectId, id),
            selectDataset(projectId, id),
          ]);
          const current = rows[0];
          if (current === undefined) return null;
          const document = compose(current);
          const [before, after] = [compactText(current.document), compactText(document)];
          if (before === after) return current;
          const version = current.version + 1;
          const { name, description, caseCount } = summarizeDocument(document);
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
              document,
              isOneOfMany ? oneOfMany : describeChange(before, after),
              changedAt,
              name,
              description,
              caseCount,
              metadataOf(document),
            ],
          });
          if (isOneOfMany) await dropReplaced(transaction, projectId, id, current.version);
          return { ...current, version, document };
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

async function dropReplaced(transaction: Queryable, projectId: string, id: string, version: number): Promise<void> {
  await transaction.query({
    name: "dataset_drop_replaced_version",
    text: `
      delete from evals.dataset_versions as versions
      where versions.project_id = $1
        and versions.dataset_id = $2
        and versions.version = $3
        and versions.change_summary = $4
        and ${unused}`,
    values: [projectId, id, version, oneOfMany],
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
