import type { Logger } from "@touchstone/service-kit";
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

const batchRows = 1_000;
/** A pass whose process died is taken over after this. Each batch renews it. */
const claimSeconds = 15;
const retryMs = 2_000;

/**
 * How rows are deleted (decision 24). Closing a project commits one row: from then on `<schema>.open_projects` refuses
 * its scope. Then passes delete from all tables, in batches with separate transactions: the first at once, the next
 * after the grace period, and more until one that began after the grace period finds nothing. That one confirms, in one
 * transaction with its record. An hour later a last pass checks for late rows.
 *
 * Replicas share the work by claims; a pass that two of them make does no harm.
 */
export function createProjectDeletions(options: ProjectDeletionsOptions): ProjectDeletions {
  const { database, schema, tables, confirmation, onConfirmed, logger, graceMs = 10_000, pollMs = 1_000 } = options;
  const stopping = new AbortController();
  let wake = (): void => {};
  const ended = run();

  async function run(): Promise<void> {
    let isFailing = false;
    while (!stopping.signal.aborted) {
      try {
        const claim = await takeClaim();
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
    if (claim.isConfirmed) await scheduleAfterConfirmation(claim.projectId, removed > 0);
    else if (claim.isQuiet && removed === 0) await confirm(claim.projectId);
    else await scheduleNext(claim.projectId);
  }

  /** The number of deleted rows; null when it was stopped before the end. */
  async function takePass(projectId: string): Promise<number | null> {
    let removed = 0;
    for (const table of tables) {
      for (let isEmpty = false; !isEmpty; ) {
        if (stopping.signal.aborted) {
          await release(projectId);
          return null;
        }
        const count = await removeBatch(table, projectId);
        removed += count;
        isEmpty = count === 0;
        if (!isEmpty) await renew(projectId);
      }
    }
    return removed;
  }

  async function removeBatch(table: ProjectTable, projectId: string): Promise<number> {
    const { name, projectColumn = "project_id", pickedBy = "ctid" } = table;
    const { rowCount } = await database.query({
      name: `${schema}_${name}_remove_deleted`,
      text: `
        delete from ${schema}.${name}
        where ${projectColumn} = $1
          and ${pickedBy} = any(array(select ${pickedBy} from ${schema}.${name} where ${projectColumn} = $1 limit $2))`,
      values: [projectId, batchRows],
    });
    return rowCount ?? 0;
  }

  async function takeClaim(): Promise<Claim | null> {
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
  }

  const setNextPass = (name: string, at: string) => async (projectId: string, seconds: number) => {
    await database.query({
      name: `${schema}_deletion_${name}`,
      text: `update ${schema}.deleted_projects set next_pass_at = ${at} where project_id = $1`,
      values: [projectId, seconds],
    });
  };
  const setAfterNow = setNextPass("again", "now() + make_interval(secs => $2)");
  const setAfterClosing = setNextPass("wait", "greatest(now(), closed_at + make_interval(secs => $2))");

  const renew = (projectId: string) => setAfterNow(projectId, claimSeconds);
  const release = (projectId: string) => setAfterNow(projectId, 0);
  const scheduleNext = (projectId: string) => setAfterClosing(projectId, graceMs / 1000);

  async function scheduleAfterConfirmation(projectId: string, foundRows: boolean): Promise<void> {
    await database.query({
      name: `${schema}_deletion_rest`,
      text: `
        update ${schema}.deleted_projects
        set next_pass_at = case when $2 then now() + interval '1 hour' end
        where project_id = $1`,
      values: [projectId, foundRows],
    });
  }

  async function confirm(projectId: string): Promise<void> {
    await database.transaction(async (transaction) => {
      await transaction.query({
        name: `${schema}_deletion_confirm`,
        text: `
          update ${schema}.deleted_projects
          set confirmed_at = now(), next_pass_at = now() + interval '1 hour'
          where project_id = $1`,
        values: [projectId],
      });
      await enqueueConfirmation(transaction, projectId);
    });
    logger.info({ schema, projectId }, "no row of a deleted project is left");
    onConfirmed();
  }

  async function enqueueConfirmation(target: Queryable, projectId: string): Promise<boolean> {
    const { subject, body } = confirmation;
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
      if (await enqueueConfirmation(database, projectId)) onConfirmed();
      wake();
    },
    async stop() {
      stopping.abort();
      wake();
      await ended;
    },
  };
}
