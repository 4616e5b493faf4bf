import type { Logger } from "@touchstone/service-kit";
import { createBatchPace } from "./batch-pace.ts";
import type { Statement } from "./connections.ts";
import type { Database, Queryable } from "./database.ts";
import { closeStatement } from "./project-closing-store.ts";

/** A table with rows of projects. */
export interface ProjectTable {
  /** Without the schema. */
  name: string;
  /** The column with the project's id. Default `project_id`. */
  projectColumn?: string;
  /** The column that selects a batch: the row's location, unless the table is partitioned. Default `ctid`. */
  pickedBy?: string;
}

export interface ProjectDeletionsOptions {
  /** Under the maintenance role. */
  database: Database;
  /** It has the tables `deleted_projects` and `outbox`; see the migrations that made them. */
  schema: string;
  /** Every table with rows of projects, referencing tables first. */
  tables: readonly ProjectTable[];
  /** The event that confirms the deletion, for the outbox. */
  confirmation: { subject: string; body: { parse(value: { projectId: string }): unknown } };
  /** Called after a confirmation was committed. */
  onConfirmed(): void;
  logger: Logger;
  /** The time from closing a project to the pass that may confirm. Longer than any statement of the service. */
  graceMs?: number;
  pollMs?: number;
}

/** Removes deleted projects from one schema. */
export interface ProjectDeletions {
  /**
   * Closes a project: once this resolves no transaction in its scope can begin, and its rows are deleted in the
   * background. For a project that is already deleted the confirmation is sent again. Can be called any number of
   * times, on any replica.
   */
  begin(projectId: string): Promise<void>;
  /** Ends after the current batch; the next run continues. */
  stop(): Promise<void>;
}

interface Claim {
  projectId: string;
  /** The grace period is over: every transaction that was open when the project was closed has ended. */
  isQuiet: boolean;
  isConfirmed: boolean;
}

const batchRows = { rowsFirst: 50, rowsMax: 1_000 };
/** A pass whose process died is taken over after this. Each batch renews it. */
const claimSeconds = 15;
const retryMs = 2_000;

/**
 * How rows are deleted (decision 24). Closing a project commits one row: from then on `<schema>.open_projects` refuses
 * its scope. Then passes delete from all tables, in batches with separate transactions: the first at once, the next
 * after the grace period, and more until one that began after the grace period finds nothing. That one confirms, in one
 * transaction with its record. An hour later a last pass checks for late rows. `createBatchPace` sizes the batches.
 *
 * Replicas share the work by claims; a pass that two of them make does no harm.
 */
export function createProjectDeletions(options: ProjectDeletionsOptions): ProjectDeletions {
  const { database, schema, tables, onConfirmed, logger, graceMs = 10_000, pollMs = 1_000 } = options;
  const records = createDeletionRecords(options, graceMs);
  const stopping = new AbortController();
  let wake = (): void => {};
  const ended = run();

  async function run(): Promise<void> {
    let isFailing = false;
    while (!stopping.signal.aborted) {
      try {
        const claim = await records.take();
        if (claim === null) await pause(pollMs);
        else await work(claim);
        isFailing = false;
      } catch (err) {
        // One line per outage: the next pass does the rest.
        if (!isFailing) logger.warn({ err, schema }, "rows of a deleted project could not be removed; trying again");
        isFailing = true;
        await pause(retryMs);
      }
    }
  }

  async function work(claim: Claim): Promise<void> {
    const removed = await takePass(claim.projectId);
    if (removed === null) return;
    if (removed > 0)
      logger.info({ schema, projectId: claim.projectId, rows: removed }, "rows of a deleted project removed");
    if (claim.isConfirmed) await records.scheduleAfterConfirmation(claim.projectId, removed > 0);
    else if (claim.isQuiet && removed === 0) await confirm(claim.projectId);
    else await records.scheduleNext(claim.projectId);
  }

  /** The number of deleted rows; null when it was stopped before the end. */
  async function takePass(projectId: string): Promise<number | null> {
    let removed = 0;
    for (const table of tables) {
      const pace = createBatchPace(batchRows);
      for (let isEmpty = false; !isEmpty; ) {
        if (stopping.signal.aborted) {
          await records.release(projectId);
          return null;
        }
        const startedMs = performance.now();
        const { rowCount } = await database.query(deleteBatch(schema, table, { projectId, rows: pace.rows() }));
        const pauseMs = pace.record(performance.now() - startedMs);
        removed += rowCount ?? 0;
        isEmpty = !rowCount;
        if (isEmpty) continue;
        await records.renew(projectId);
        if (pauseMs > 0) await pause(pauseMs);
      }
    }
    return removed;
  }

  async function confirm(projectId: string): Promise<void> {
    await records.confirm(projectId);
    logger.info({ schema, projectId }, "no row of a deleted project is left");
    onConfirmed();
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (stopping.signal.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    async begin(projectId) {
      await database.query(closeStatement(schema, [projectId]));
      // A caller that asks again missed the confirmation.
      if (await records.enqueueConfirmation(database, projectId)) onConfirmed();
      wake();
    },
    async stop() {
      stopping.abort();
      wake();
      await ended;
    },
  };
}

const deleteBatch = (
  schema: string,
  { name, projectColumn = "project_id", pickedBy = "ctid" }: ProjectTable,
  { projectId, rows }: { projectId: string; rows: number },
): Statement => ({
  name: `${schema}_${name}_remove_deleted`,
  text: `
    delete from ${schema}.${name}
    where ${projectColumn} = $1
      and ${pickedBy} = any(array(select ${pickedBy} from ${schema}.${name} where ${projectColumn} = $1 limit $2))`,
  values: [projectId, rows],
});

/** The rows of `<schema>.deleted_projects`: which project is due for a pass, and which is confirmed. */
interface DeletionRecords {
  /** Claims a project that is due; null if there is none. */
  take(): Promise<Claim | null>;
  /** Keeps a claim for the next batches. */
  renew(projectId: string): Promise<void>;
  /** Ends a claim: another pass can begin at once. */
  release(projectId: string): Promise<void>;
  /** The next pass begins at once or after the grace period, whichever is later. */
  scheduleNext(projectId: string): Promise<void>;
  /** A pass that found rows after the confirmation is followed by another an hour later; else none follows. */
  scheduleAfterConfirmation(projectId: string, foundRows: boolean): Promise<void>;
  /** Records the confirmation and enqueues its event, in one transaction. */
  confirm(projectId: string): Promise<void>;
  /** Enqueues the event of a confirmed project. False: it is not confirmed. */
  enqueueConfirmation(target: Queryable, projectId: string): Promise<boolean>;
}

function createDeletionRecords(
  { database, schema, confirmation: { subject, body } }: ProjectDeletionsOptions,
  graceMs: number,
): DeletionRecords {
  async function setNextPass(name: string, at: string, projectId: string, value: number | boolean): Promise<void> {
    await database.query({
      name: `${schema}_deletion_${name}`,
      text: `update ${schema}.deleted_projects set next_pass_at = ${at} where project_id = $1`,
      values: [projectId, value],
    });
  }
  const setAfterNow = (projectId: string, seconds: number) =>
    setNextPass("again", "now() + make_interval(secs => $2)", projectId, seconds);

  async function enqueueConfirmation(target: Queryable, projectId: string): Promise<boolean> {
    const { rowCount } = await target.query({
      name: `${schema}_deletion_enqueue`,
      text: `
        insert into ${schema}.outbox (subject, body)
        select $2, $3
        from ${schema}.deleted_projects
        where project_id = $1 and confirmed_at is not null`,
      values: [projectId, subject, JSON.stringify(body.parse({ projectId }))],
    });
    return rowCount === 1;
  }

  return {
    async take() {
      const { rows } = await database.query<{ project_id: string; is_quiet: boolean; is_confirmed: boolean }>({
        name: `${schema}_deletion_claim`,
        text: `
          update ${schema}.deleted_projects
          set next_pass_at = now() + make_interval(secs => $1)
          where project_id = (
            select project_id
            from ${schema}.deleted_projects
            where next_pass_at <= now()
            order by next_pass_at
            limit 1
            for update skip locked
          )
          returning project_id, closed_at <= now() - make_interval(secs => $2) as is_quiet,
            confirmed_at is not null as is_confirmed`,
        values: [claimSeconds, graceMs / 1000],
      });
      const [row] = rows;
      return row === undefined
        ? null
        : { projectId: row.project_id, isQuiet: row.is_quiet, isConfirmed: row.is_confirmed };
    },

    renew: (projectId) => setAfterNow(projectId, claimSeconds),
    release: (projectId) => setAfterNow(projectId, 0),
    scheduleNext: (projectId) =>
      setNextPass("wait", "greatest(now(), closed_at + make_interval(secs => $2))", projectId, graceMs / 1000),
    scheduleAfterConfirmation: (projectId, foundRows) =>
      setNextPass("rest", "case when $2 then now() + interval '1 hour' end", projectId, foundRows),

    confirm: (projectId) =>
      database.transaction(async (transaction) => {
        await transaction.query({
          name: `${schema}_deletion_confirm`,
          text: `
            update ${schema}.deleted_projects
            set confirmed_at = now(), next_pass_at = now() + interval '1 hour'
            where project_id = $1`,
          values: [projectId],
        });
        await enqueueConfirmation(transaction, projectId);
      }),

    enqueueConfirmation,
  };
}
