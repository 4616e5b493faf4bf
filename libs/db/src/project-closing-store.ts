import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@touchstone/service-kit";
import type { Statement } from "./connections.ts";
import type { Database } from "./database.ts";

export interface ProjectClosingOptions {
  /** Under the maintenance role. */
  database: Database;
  /** It has the table `deleted_projects` and the function `open_projects`; see decision 24. */
  schema: string;
  logger: Logger;
  /** The longest wait for earlier transactions. Longer than any statement of a request. */
  waitMs?: number;
}

/**
 * Closes deleted projects: when this resolves, nothing more can be committed in their scope, not even by earlier
 * transactions. Transactions that are still open after `waitMs` are logged and left to the removal passes.
 */
export type CloseProjects = (projectIds: readonly string[]) => Promise<void>;

const lookEveryMs = 20;

/**
 * Every transaction in the scope of a project reads `deleted_projects`, and PostgreSQL shows the lock of that read
 * until the transaction ends. It takes the lock before its snapshot: a transaction without the lock when we look, after
 * our commit, will see the project closed. This needs no lock of our own and delays no other transaction.
 */
export function createProjectClosing(options: ProjectClosingOptions): CloseProjects {
  const { database, schema, logger, waitMs = 10_000 } = options;

  async function listReaders(): Promise<string[]> {
    const { rows } = await database.query<{ transaction: string }>({
      name: `${schema}_deleted_projects_readers`,
      text: `
        select distinct virtualtransaction as transaction
        from pg_locks
        where locktype = 'relation'
          and database = (select oid from pg_database where datname = current_database())
          and relation = '${schema}.deleted_projects'::regclass
          and mode = 'AccessShareLock'`,
    });
    return rows.map((row) => row.transaction);
  }

  return async (projectIds) => {
    await database.query(closeStatement(schema, projectIds));
    const giveUpAtMs = performance.now() + waitMs;
    let earlier = await listReaders();
    while (earlier.length > 0) {
      if (performance.now() > giveUpAtMs) {
        logger.warn({ schema, transactions: earlier.length }, "transactions outlast the closing of a deleted project");
        return;
      }
      await sleep(lookEveryMs);
      const present = new Set(await listReaders());
      earlier = earlier.filter((transaction) => present.has(transaction));
    }
  };
}

/** Closes projects for transactions that begin after its commit. */
export function closeStatement(schema: string, projectIds: readonly string[]): Statement {
  return {
    name: `${schema}_projects_close`,
    text: `
      insert into ${schema}.deleted_projects (project_id)
      select unnest($1::uuid[])
      on conflict (project_id) do nothing`,
    values: [projectIds],
  };
}
